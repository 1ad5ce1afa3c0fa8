import { z } from 'zod'

export const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'a whole number').transform(Number).pipe(z.number().min(min).max(max))
const cap = wholeNumber(0, Number.MAX_SAFE_INTEGER)
/** How much there is of something on a node, for one organization, and for one key: `1000/100/50`. */
export const shares = (example: string) =>
  z
    .string()
    .regex(
      /^\d{1,9}\/\d{1,9}\/\d{1,9}$/,
      'three whole numbers, for a node, an organization and a key, such as 1000/100/50',
    )
    .default(example)
    .transform((text) => {
      const [node = 0, organization = 0, key = 0] = text.split('/').map(Number)
      return { node, organization, key }
    })

/** How many requests a second in the long run, and how many at once: `100/1000`. */
const rate = (example: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}\/[1-9]\d{0,8}$/, 'requests a second and at once, two whole numbers such as 100/1000')
    .default(example)
    .transform((text) => {
      const [perSecond = 1, burst = 1] = text.split('/').map(Number)
      return { perSecond, burst }
    })

/** The settings of what one tenant may use: open at once, a second, a day, and in all. */
export const limitSettings = {
  NOEMA_MAX_REQUESTS: {
    schema: shares('256/128/128'),
    about: 'Requests worked on at once: on one node, of one organization, and of one key. Others wait for their turn.',
    example: '256/128/128',
  },
  NOEMA_MAX_WAIT: {
    schema: wholeNumber(1, 600_000).default(1_000),
    about: 'Milliseconds that a request waits for its turn; one that would wait longer is refused at once.',
    example: '1000',
  },
  NOEMA_MAX_STREAMS: {
    schema: shares('5000/1000/500'),
    about: 'Event streams open at once: on one node, of one organization, and of one key.',
    example: '5000/1000/500',
  },
  NOEMA_MAX_WAITING: {
    schema: wholeNumber(1, 1_000_000).default(2_000),
    about: 'Writes of one node that may wait for the same Brain; more are refused until some are done.',
    example: '2000',
  },
  NOEMA_MAX_KEYS: {
    schema: wholeNumber(1, 1_000_000_000).default(1_000),
    about: 'Keys that are not revoked: management keys of one organization, and keys of one Brain.',
    example: '1000',
  },
  NOEMA_MAX_SCHEMAS: {
    schema: wholeNumber(1, 1_000_000_000).default(1_000),
    about: 'Versions of organization schemas of one organization.',
    example: '1000',
  },
  NOEMA_MAX_BRAIN_WEBHOOKS: {
    schema: wholeNumber(0, 1_000_000).default(25),
    about: 'Webhooks of one Brain.',
    example: '25',
  },
  NOEMA_MAX_ORGANIZATION_WEBHOOKS: {
    schema: wholeNumber(0, 1_000_000).default(100),
    about: 'Webhooks of one organization, beside those of its Brains.',
    example: '100',
  },
  NOEMA_MAX_RECEIPTS: {
    schema: wholeNumber(1, 1_000_000_000_000).default(10_000_000),
    about: 'Receipts that are kept of one Brain; about once an hour those beyond are forgotten, the oldest first.',
    example: '10000000',
  },
  NOEMA_MAX_PROJECTS: {
    schema: wholeNumber(1, 1_000_000_000).default(1_000),
    about: 'Projects of one organization, archived ones included.',
    example: '1000',
  },
  NOEMA_MAX_AGENTS: {
    schema: wholeNumber(1, 1_000_000_000).default(1_000),
    about: 'Agents of one organization that are not archived.',
    example: '1000',
  },
  NOEMA_MAX_AGENT_VERSIONS: {
    schema: wholeNumber(1, 1_000_000_000).default(10_000),
    about: 'Versions of all agents of one organization, archived ones included.',
    example: '10000',
  },
  NOEMA_MAX_CONVERSATIONS: {
    schema: wholeNumber(1, 1_000_000_000).default(100_000),
    about: 'Conversations of one organization.',
    example: '100000',
  },
  NOEMA_TRANSFER_MINUTES: {
    schema: wholeNumber(1, 100_000).default(120),
    about: 'Minutes that one export or import may take.',
    example: '120',
  },
  NOEMA_IMPORT_LINE_SECONDS: {
    schema: wholeNumber(1, 86_400).default(60),
    about: 'Seconds in which the next line of an import must be whole; then the import ends and nothing of it is kept.',
    example: '60',
  },
  NOEMA_MAX_TRANSFERS: {
    schema: shares('8/4/4'),
    about:
      'Exports and imports running at once: on one node, of one organization, and of one key. Each holds a database connection; together at most half of those of the node.',
    example: '8/4/4',
  },
  NOEMA_MAX_BODIES: {
    schema: shares('256/96/64'),
    about:
      'Megabytes of request bodies under way at once: on one node, of one organization, and of one key or address.',
    example: '256/96/64',
  },
  NOEMA_MAX_CALLS: {
    schema: shares('2000/250/250').transform(({ node, organization, key: host }) => ({ node, organization, host })),
    about:
      'Calls to webhooks under way at once: on one node, of one organization, and to one host by its address. What is beyond waits.',
    example: '2000/250/250',
  },
  NOEMA_MAX_WEBHOOK_TESTS: {
    schema: shares('200/20/3'),
    about: 'Tests of webhooks and providers running at once: on one node, of one organization, and of one of them.',
    example: '200/20/3',
  },
  NOEMA_MAX_RUNS: {
    schema: z
      .string()
      .regex(/^[1-9]\d{0,5}\/[1-9]\d{0,5}$/, 'two whole numbers, for a node and an organization, such as 400/200')
      .default('400/200')
      .transform((text) => {
        const [node = 1, organization = 1] = text.split('/').map(Number)
        return { node, organization }
      }),
    about:
      'Runs of agents that are worked on at once: on one node, and of one organization. Others wait for their turn.',
    example: '400/200',
  },
  NOEMA_UNVERIFIED_RATE: {
    schema: rate('100/500'),
    about:
      'Requests a second and at once of one key of an account with an unconfirmed address. Each 64 KiB of a body count as one.',
    example: '100/500',
  },
  NOEMA_FREE_RATE: {
    schema: rate('500/5000'),
    about: 'Requests a second and at once of one key of the free tier.',
    example: '500/5000',
  },
  NOEMA_BUSINESS_RATE: {
    schema: rate('1000/10000'),
    about: 'Requests a second and at once of one key of the business tier.',
    example: '1000/10000',
  },
  NOEMA_ENTERPRISE_RATE: {
    schema: rate('5000/50000'),
    about: 'Requests a second and at once of one key of the enterprise tier.',
    example: '5000/50000',
  },
  NOEMA_ORGANIZATION_RATE_FACTOR: {
    schema: wholeNumber(1, 10_000).default(2),
    about: 'How many times the rate of one key all keys of an organization have together.',
    example: '2',
  },
  NOEMA_ADDRESS_RATE: {
    schema: rate('20/200'),
    about: 'Requests a second and at once that come from one address without a key or session.',
    example: '20/200',
  },
  NOEMA_FAILURE_RATE: {
    schema: rate('5/200'),
    about: 'Requests a second and at once with keys that are not valid, from one address.',
    example: '5/200',
  },
  NOEMA_UNVERIFIED_BRAINS: {
    schema: cap.default(10),
    about: 'Brains that an account with an unconfirmed address may have.',
    example: '10',
  },
  NOEMA_UNVERIFIED_DAILY_WRITES: {
    schema: cap.default(10_000),
    about: 'Operations a day that an account with an unconfirmed address may write.',
    example: '10000',
  },
  NOEMA_UNVERIFIED_DAILY_MEGABYTES: {
    schema: wholeNumber(0, 1_000_000_000).default(100),
    about: 'Megabytes of content a day that an account with an unconfirmed address may write.',
    example: '100',
  },
  NOEMA_UNVERIFIED_DAILY_RUNS: {
    schema: cap.default(100),
    about: 'Runs of agents a day that an account with an unconfirmed address may start.',
    example: '100',
  },
  NOEMA_FREE_BRAINS: { schema: cap.default(1_000), about: 'Brains of the free tier.', example: '1000' },
  NOEMA_FREE_DAILY_WRITES: {
    schema: cap.default(1_000_000),
    about: 'Operations a day of the free tier.',
    example: '1000000',
  },
  NOEMA_FREE_DAILY_MEGABYTES: {
    schema: wholeNumber(0, 1_000_000_000).default(10_240),
    about: 'Megabytes of content a day of the free tier.',
    example: '10240',
  },
  NOEMA_FREE_DAILY_RUNS: {
    schema: cap.default(10_000),
    about: 'Runs of agents a day of the free tier.',
    example: '10000',
  },
  NOEMA_BUSINESS_BRAINS: { schema: cap.default(100_000), about: 'Brains of the business tier.', example: '100000' },
  NOEMA_BUSINESS_DAILY_WRITES: {
    schema: cap.default(100_000_000),
    about: 'Operations a day of the business tier.',
    example: '100000000',
  },
  NOEMA_BUSINESS_DAILY_MEGABYTES: {
    schema: wholeNumber(0, 1_000_000_000).default(1_048_576),
    about: 'Megabytes of content a day of the business tier.',
    example: '1048576',
  },
  NOEMA_BUSINESS_DAILY_RUNS: {
    schema: cap.default(1_000_000),
    about: 'Runs of agents a day of the business tier.',
    example: '1000000',
  },
} as const
