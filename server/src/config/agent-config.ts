import type { CallLimits } from '../shared/outbound/call-places.ts'
import type { Values } from './config.ts'

/** How many agents an organization may have, and how many versions of all of them. */
export type AgentCaps = { maxAgents: number; maxAgentVersions: number }

/** What there may be of agents and of what starts them, and whom they may call. */
export type AgentConfig = {
  maxProjects: number
  maxConversations: number
  agentCaps: AgentCaps
  maxTriggers: number
  /** Runs that a trigger starts a second, and those of it that go on at once. */
  triggerLimits: { perSecond: number; maxOpen: number }
  scheduleLimits: { max: number; minMinutes: number }
  /** Whom agents may call though they are private, and how many of their calls are under way at once. */
  agentCalls: { allowProviders: readonly string[]; allowConnectors: readonly string[]; limits: CallLimits }
  /** The keys that the operator shares with every organization, by the kind of provider. */
  sharedKeys: Readonly<Partial<Record<'openai' | 'anthropic' | 'google', string>>>
  /** How long one call of a connector may last. */
  connectorSeconds: number
  /** How long one call of a language model may last, and be silent. */
  modelCalls: { totalSeconds: number; idleSeconds: number }
}

const readSharedKeys = (values: Values): AgentConfig['sharedKeys'] => {
  if (!values.NOEMA_SHARED_PROVIDERS) return {}
  const keys = {
    openai: values.NOEMA_OPENAI_API_KEY,
    anthropic: values.NOEMA_ANTHROPIC_API_KEY,
    google: values.NOEMA_GOOGLE_API_KEY,
  }
  return Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== undefined))
}

/** Reads what the settings say of agents. */
export const readAgentConfig = (values: Values): AgentConfig => ({
  ...{ maxProjects: values.NOEMA_MAX_PROJECTS, maxConversations: values.NOEMA_MAX_CONVERSATIONS },
  maxTriggers: values.NOEMA_MAX_TRIGGERS,
  triggerLimits: { perSecond: values.NOEMA_TRIGGER_RATE, maxOpen: values.NOEMA_MAX_TRIGGER_RUNS },
  scheduleLimits: { max: values.NOEMA_MAX_SCHEDULES, minMinutes: values.NOEMA_SCHEDULE_MINUTES },
  agentCaps: { maxAgents: values.NOEMA_MAX_AGENTS, maxAgentVersions: values.NOEMA_MAX_AGENT_VERSIONS },
  agentCalls: {
    allowProviders: values.NOEMA_PROVIDER_ALLOW,
    allowConnectors: values.NOEMA_CONNECTOR_ALLOW,
    limits: values.NOEMA_MAX_AGENT_CALLS,
  },
  sharedKeys: readSharedKeys(values),
  connectorSeconds: values.NOEMA_CONNECTOR_SECONDS,
  modelCalls: { totalSeconds: values.NOEMA_MODEL_SECONDS, idleSeconds: values.NOEMA_MODEL_IDLE_SECONDS },
})
