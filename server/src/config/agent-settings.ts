import { z } from 'zod'
import { parseAllowed } from '../shared/outbound/targets.ts'
import { shares, wholeNumber } from './limit-settings.ts'

const hosts = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .pipe(z.array(z.string().refine((text) => parseAllowed(text) !== undefined, 'hosts, addresses or networks')))
  .default([])

const sharedKey = (name: string, example: string) =>
  ({
    schema: z.string().min(1).optional(),
    about: `Key for ${name}, shared with every organization as the provider \`${name.toLowerCase()}\` unless it has one of that name.`,
    example,
    secret: true,
  }) as const

/** The settings of agents: whom they may call, and what a call may take. */
export const agentSettings = {
  NOEMA_MAX_TRIGGERS: {
    schema: wholeNumber(1, 10_000).default(200),
    about: 'Triggers of one organization.',
    example: '200',
  },
  NOEMA_MAX_SCHEDULES: {
    schema: wholeNumber(1, 1_000_000).default(500),
    about: 'Schedules of one organization.',
    example: '500',
  },
  NOEMA_SCHEDULE_MINUTES: {
    schema: wholeNumber(1, 1_440).default(1),
    about: 'Minutes that lie between two runs of one schedule at least.',
    example: '1',
  },
  NOEMA_TRIGGER_RATE: {
    schema: wholeNumber(1, 10_000).default(5),
    about: 'Runs that one trigger starts a second. A burst of events becomes runs at this rate.',
    example: '5',
  },
  NOEMA_MAX_TRIGGER_RUNS: {
    schema: wholeNumber(1, 1_000_000).default(20),
    about: 'Runs of one trigger that have not ended. It starts no more until one of them has.',
    example: '20',
  },
  NOEMA_PROVIDER_ALLOW: {
    schema: hosts,
    about:
      'Hosts, addresses and networks of language models that may be called although they are private, and by plain HTTP, separated by commas.',
    example: 'ollama.internal,10.0.4.0/24',
  },
  NOEMA_CONNECTOR_ALLOW: {
    schema: hosts,
    about: 'The same for the MCP servers that connectors name.',
    example: 'tools.internal',
  },
  NOEMA_OPENAI_API_KEY: sharedKey('OpenAI', 'sk-...'),
  NOEMA_ANTHROPIC_API_KEY: sharedKey('Anthropic', 'sk-ant-...'),
  NOEMA_GOOGLE_API_KEY: sharedKey('Google', 'AIza...'),
  NOEMA_SHARED_PROVIDERS: {
    schema: z
      .enum(['true', 'false'], { error: 'true or false' })
      .default('true')
      .transform((text) => text === 'true'),
    about: 'Whether every organization may use the keys of these three settings. With false nobody may.',
    example: 'true',
  },
  NOEMA_MAX_AGENT_CALLS: {
    schema: shares('1000/200/1000').transform(({ node, organization, key: host }) => ({ node, organization, host })),
    about:
      'Calls of language models and of connectors under way at once: on one node, of one organization, and to one host by its address. Runs wait for their turn.',
    example: '1000/200/1000',
  },
  NOEMA_CONNECTOR_SECONDS: {
    schema: wholeNumber(1, 3_600).default(120),
    about: 'Seconds that one call of a connector may take.',
    example: '120',
  },
  NOEMA_MODEL_SECONDS: {
    schema: wholeNumber(1, 86_400).default(1_800),
    about: 'Seconds that one call of a language model may take.',
    example: '1800',
  },
  NOEMA_MODEL_IDLE_SECONDS: {
    schema: wholeNumber(1, 86_400).default(300),
    about: 'Seconds in which something must come of the response of a language model; then the call is given up.',
    example: '300',
  },
} as const
