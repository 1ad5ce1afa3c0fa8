import { type Rate, rate, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

const cap = wholeNumber(0, Number.MAX_SAFE_INTEGER)

/** Settings of how many requests callers may send, and of how much an organization of each tier may keep and write. */
export const tierSettings = {
  NOEMA_UNVERIFIED_RATE: {
    schema: rate.default({ perSecond: 100, burst: 500 }),
    about:
      'Requests a second and at once of one key of an account with an unconfirmed address. Each 64 KiB of a body count as one.',
    example: '100/500',
  },
  NOEMA_FREE_RATE: {
    schema: rate.default({ perSecond: 500, burst: 5000 }),
    about: 'Requests a second and at once of one key of the free tier.',
    example: '500/5000',
  },
  NOEMA_BUSINESS_RATE: {
    schema: rate.default({ perSecond: 1000, burst: 10000 }),
    about: 'Requests a second and at once of one key of the business tier.',
    example: '1000/10000',
  },
  NOEMA_ENTERPRISE_RATE: {
    schema: rate.default({ perSecond: 5000, burst: 50000 }),
    about: 'Requests a second and at once of one key of the enterprise tier.',
    example: '5000/50000',
  },
  NOEMA_ORGANIZATION_RATE_FACTOR: {
    schema: wholeNumber(1, 10_000).default(2),
    about: 'How many times the rate of one key all keys of an organization have together.',
    example: '2',
  },
  NOEMA_ADDRESS_RATE: {
    schema: rate.default({ perSecond: 20, burst: 200 }),
    about: 'Requests a second and at once that come from one address without a key or session.',
    example: '20/200',
  },
  NOEMA_FAILURE_RATE: {
    schema: rate.default({ perSecond: 5, burst: 200 }),
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
} as const satisfies Settings

type Values = ValuesOf<typeof tierSettings>

/** How much an organization of one tier may keep and write; undefined means without limit. */
export type Caps = { brains: number; dailyWrites: number; dailyBytes: number; dailyRuns: number } | undefined

type TierCaps = Record<'unverified' | 'free' | 'business' | 'enterprise' | 'staff', Caps>

/** How many requests callers may send: one key by tier, all keys of an organization, and one address. Staff has no limit. */
type Rates = Record<'unverified' | 'free' | 'business' | 'enterprise' | 'address' | 'failures', Rate> & {
  staff: undefined
  organizationFactor: number
}

const MiB = 1024 * 1024

const readRates = (values: Values): Rates => ({
  unverified: values.NOEMA_UNVERIFIED_RATE,
  free: values.NOEMA_FREE_RATE,
  business: values.NOEMA_BUSINESS_RATE,
  enterprise: values.NOEMA_ENTERPRISE_RATE,
  staff: undefined,
  address: values.NOEMA_ADDRESS_RATE,
  failures: values.NOEMA_FAILURE_RATE,
  organizationFactor: values.NOEMA_ORGANIZATION_RATE_FACTOR,
})

/** What each tier may keep and write. */
const readCaps = (values: Values): TierCaps => ({
  unverified: {
    brains: values.NOEMA_UNVERIFIED_BRAINS,
    dailyWrites: values.NOEMA_UNVERIFIED_DAILY_WRITES,
    dailyBytes: values.NOEMA_UNVERIFIED_DAILY_MEGABYTES * MiB,
    dailyRuns: values.NOEMA_UNVERIFIED_DAILY_RUNS,
  },
  free: {
    brains: values.NOEMA_FREE_BRAINS,
    dailyWrites: values.NOEMA_FREE_DAILY_WRITES,
    dailyBytes: values.NOEMA_FREE_DAILY_MEGABYTES * MiB,
    dailyRuns: values.NOEMA_FREE_DAILY_RUNS,
  },
  business: {
    brains: values.NOEMA_BUSINESS_BRAINS,
    dailyWrites: values.NOEMA_BUSINESS_DAILY_WRITES,
    dailyBytes: values.NOEMA_BUSINESS_DAILY_MEGABYTES * MiB,
    dailyRuns: values.NOEMA_BUSINESS_DAILY_RUNS,
  },
  enterprise: undefined,
  staff: undefined,
})

export const readTiers = (values: Values) => ({ rates: readRates(values), caps: readCaps(values) })
