import { z } from 'zod'
import { allowedHosts, callShares, type Settings, trueOrFalse, type ValuesOf } from './setting.ts'

const sharedKey = (name: string, example: string) =>
  ({
    schema: z.string().min(1).optional(),
    about: `API key for ${name}. Every organization may use it as the provider \`${name.toLowerCase()}\` unless it has its own provider of that name.`,
    example,
    secret: true,
  }) as const

/** Settings of the agents' calls: the allowed hosts, the number at once, and the shared keys. */
export const agentSettings = {
  NOEMA_PROVIDER_ALLOW: {
    schema: allowedHosts,
    about:
      'Language models that agents of every organization may call although they are private, also over plain HTTP: hosts, addresses or networks, each with a port (443 if unset, `*` for all), separated by commas.',
    example: 'ollama.internal:11434,10.0.4.0/24:8000',
  },
  NOEMA_CONNECTOR_ALLOW: {
    schema: allowedHosts,
    about: 'The same for the MCP servers of connectors.',
    example: 'tools.internal:8080',
  },
  NOEMA_OPENAI_API_KEY: sharedKey('OpenAI', 'sk-...'),
  NOEMA_ANTHROPIC_API_KEY: sharedKey('Anthropic', 'sk-ant-...'),
  NOEMA_GOOGLE_API_KEY: sharedKey('Google', 'AIza...'),
  NOEMA_SHARED_PROVIDERS: {
    schema: trueOrFalse('true'),
    about: 'Whether every organization may use the keys of these three settings. With `false`, none may.',
    example: 'true',
  },
  NOEMA_SHARED_RUNS: {
    schema: trueOrFalse('false'),
    about:
      'Whether people may share runs by links: pages that anyone who has the address can read without an account. With `false`, links that exist do not work.',
    example: 'true',
  },
  NOEMA_SANDBOX: {
    schema: z.enum(['off', 'bwrap'], { error: 'off or bwrap' }).default('off'),
    about:
      'With `bwrap`, code of agents may also be Python: the system’s, in a sandbox of bubblewrap, which must be installed. The service does not start if the sandbox does not work.',
    example: 'bwrap',
  },
  NOEMA_MAX_AGENT_CALLS: {
    schema: callShares('1000/200/1000'),
    about:
      'Calls to language models and connectors in progress at once: on one node, of one organization, and to one host by its address. Runs wait for a free slot.',
    example: '1000/200/1000',
  },
} as const satisfies Settings

type Values = ValuesOf<typeof agentSettings>

/** The keys that the operator shares with every organization, by the kind of provider. */
type SharedKeys = Readonly<Partial<Record<'openai' | 'anthropic' | 'google', string>>>

const readSharedKeys = (values: Values): SharedKeys => {
  if (!values.NOEMA_SHARED_PROVIDERS) return {}
  const keys = {
    openai: values.NOEMA_OPENAI_API_KEY,
    anthropic: values.NOEMA_ANTHROPIC_API_KEY,
    google: values.NOEMA_GOOGLE_API_KEY,
  }
  return Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== undefined))
}

export const readAgents = (values: Values) => ({
  /** The private hosts that agents may call, and how many of their calls are in progress at once. */
  agentCalls: {
    allowProviders: values.NOEMA_PROVIDER_ALLOW,
    allowConnectors: values.NOEMA_CONNECTOR_ALLOW,
    limits: values.NOEMA_MAX_AGENT_CALLS,
  },
  sharedKeys: readSharedKeys(values),
  /** The sandbox for Python of agents. */
  sandbox: values.NOEMA_SANDBOX,
  /** True if runs may be shared by links. */
  sharesRuns: values.NOEMA_SHARED_RUNS,
})
