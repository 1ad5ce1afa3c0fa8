import type { Queryable } from '../../../storage/database.ts'

/** The person whose access is revoked, and the organizations. */
type AccessToEnd = {
  userId: string
  organizationIds: readonly string[]
  /** The Brain keys to revoke: none, those that they minted or rotated last, or these with their whole chains of rotations. */
  brainKeys: 'none' | 'made' | 'lines'
}

/** A provider of language models; without a `baseUrl` it is the usual one of its kind. */
type SetUpProvider = { name: string; baseUrl: string | null }

type EndedBrainKey = { id: string; name: string; brain: string }

/** Triggers and schedules start runs of agents. */
type MadeTrigger = { id: string; name: string }
type MadeSchedule = { id: string; cron: string }

type MadeAgent = { id: string; name: string }

/** A webhook; `brain` is null for one of the organization. */
type EndedWebhook = { id: string; url: string; brain: string | null }

type SetUpConnector = { id: string; name: string; url: string }

/** The revoked access, the paused webhooks of others, and what the person made that remains. */
export type EndedAccess = {
  managementKeys: { id: string; name: string }[]
  brainKeys: EndedBrainKey[]
  remainingBrainKeys: EndedBrainKey[]
  webhooks: EndedWebhook[]
  pausedWebhooks: EndedWebhook[]
  providers: SetUpProvider[]
  connectors: SetUpConnector[]
  triggers: MadeTrigger[]
  schedules: MadeSchedule[]
  remainingAgents: MadeAgent[]
  remainingProviders: SetUpProvider[]
  remainingConnectors: SetUpConnector[]
  remainingTriggers: MadeTrigger[]
  remainingSchedules: MadeSchedule[]
}

/** Revokes keys and removes webhooks of a person, in the caller's transaction. */
export type EndAccess = (db: Queryable, access: AccessToEnd, now: Date) => Promise<EndedAccess>
