import { z } from 'zod'
import { jsonText, type Rate, rate, type Settings, strictObject, type ValuesOf, wholeNumber } from './setting.ts'

/** The storage, write and rate limits of each tier, unless NOEMA_TIERS says otherwise. Enterprise has only a rate. */
export const defaultTiers = {
  unverified: {
    ...{ brains: 10, dailyWrites: 10_000, dailyMegabytes: 100, dailyRuns: 100, organizations: 1 },
    ...{ fileMegabytes: 100, webPages: 100, distillations: 1 },
    receipts: 100_000,
    rate: { perSecond: 100, burst: 500 },
  },
  free: {
    ...{ brains: 1_000, dailyWrites: 1_000_000, dailyMegabytes: 10_240, dailyRuns: 10_000, dailyModelCents: 100 },
    ...{ fileMegabytes: 5_120, webPages: 5_000, distillations: 2 },
    rate: { perSecond: 500, burst: 5_000 },
  },
  business: {
    ...{ brains: 100_000, dailyWrites: 100_000_000, dailyMegabytes: 1_048_576, dailyRuns: 1_000_000 },
    ...{ fileMegabytes: 524_288, webPages: 200_000, distillations: 10, dailyModelCents: 10_000 },
    rate: { perSecond: 1_000, burst: 10_000 },
  },
  enterprise: { rate: { perSecond: 5_000, burst: 50_000 } },
}

const count = (min: number, max: number) =>
  z
    .int({ error: `a whole number from ${min} to ${max}` })
    .min(min)
    .max(max)
const anyCount = count(0, Number.MAX_SAFE_INTEGER)
const rateNumber = count(1, 999_999_999)
const tierRate = strictObject({ perSecond: rateNumber.optional(), burst: rateNumber.optional() }).optional()
const receipts = count(1, 1_000_000_000_000).optional()
const limits = {
  ...{ brains: anyCount.optional(), dailyWrites: anyCount.optional(), dailyRuns: anyCount.optional() },
  ...{ dailyMegabytes: count(0, 1_000_000_000).optional(), fileMegabytes: count(0, 1_000_000_000).optional() },
  ...{ webPages: anyCount.optional(), distillations: anyCount.optional(), receipts, rate: tierRate },
}
const dailyModelCents = count(0, 100_000_000).optional()

/** Settings of how many requests callers may send, and of how much an organization of each tier may keep and write. */
export const tierSettings = {
  NOEMA_TIERS: {
    schema: jsonText
      .pipe(
        strictObject({
          unverified: strictObject({ ...limits, organizations: count(1, 100_000).optional() }).optional(),
          free: strictObject({ ...limits, dailyModelCents }).optional(),
          business: strictObject({ ...limits, dailyModelCents }).optional(),
          enterprise: strictObject({ rate: tierRate, receipts, dailyModelCents }).optional(),
        }),
      )
      .default({}),
    about:
      'JSON object with the limits of each tier that differ from the defaults: `brains`, `dailyWrites`, `dailyMegabytes`, `dailyRuns`, `fileMegabytes` (of all files) and `webPages` of an owner, the `distillations` of an organization at once, the `receipts` of one Brain within NOEMA_MAX_RECEIPTS, the `dailyModelCents` that an owner may spend by the shared provider keys, and the `rate` of one key in requests, where each 64 KiB of a body count as one. `unverified` applies until an address is confirmed and also limits `organizations`.',
    example: '{"free":{"brains":2000,"rate":{"perSecond":800}}}',
    file: true,
  },
  NOEMA_ORGANIZATION_RATE_FACTOR: {
    schema: wholeNumber(1, 10_000).default(2),
    about: 'Rate of all keys of an organization together, as a multiple of the rate of one key.',
    example: '2',
  },
  NOEMA_ADDRESS_RATE: {
    schema: rate.default({ perSecond: 20, burst: 200 }),
    about: 'Requests a second and at once from one address without a key or session.',
    example: '20/200',
  },
  NOEMA_FAILURE_RATE: {
    schema: rate.default({ perSecond: 5, burst: 200 }),
    about: 'Requests a second and at once with invalid keys from one address.',
    example: '5/200',
  },
} as const satisfies Settings

type Values = ValuesOf<typeof tierSettings>
/** Limits of tiers that differ from the defaults. */
export type GivenTiers = Values['NOEMA_TIERS']
export type TierName = keyof typeof defaultTiers
/** All limits of each tier; where a tier has no receipts of its own, NOEMA_MAX_RECEIPTS alone counts. */
type Tiers = { [Tier in TierName]: (typeof defaultTiers)[Tier] & { receipts?: number | undefined } }

/** The storage and write caps of one tier; undefined means without limit. */
export type Caps =
  | {
      brains: number
      dailyWrites: number
      dailyBytes: number
      dailyRuns: number
      fileBytes: number
      webPages: number
      /** Unfinished ones of one organization. */
      distillations: number
    }
  | undefined

type CapsByTier = Record<TierName | 'staff', Caps>

/** The cents that an owner of each tier may spend a day by the shared provider keys; null means without limit. */
type ModelBudgets = Readonly<Record<'free' | 'business' | 'enterprise', number | null>>

/** The receipts that a Brain keeps by the tier of its organization. */
export type ReceiptsByTier = Readonly<Record<TierName | 'staff', number>>

/** Request rates: of one key by tier, of all keys of an organization, and of one address. Staff has no limit. */
type Rates = Record<TierName | 'address' | 'failures', Rate> & { staff: undefined; organizationFactor: number }

/** The limits in `given`, and for the rest those in `initial`. */
const mergeTier = <Tier extends { rate: Rate }>(
  initial: Tier,
  given: { rate?: { perSecond?: number | undefined; burst?: number | undefined } | undefined } | undefined,
): Tier => ({ ...initial, ...given, rate: { ...initial.rate, ...given?.rate } })

const toReceipts = (tiers: Tiers, max: number): ReceiptsByTier => {
  const within = (tier: TierName) => Math.min(tiers[tier].receipts ?? max, max)
  return {
    ...{ unverified: within('unverified'), free: within('free'), business: within('business') },
    ...{ enterprise: within('enterprise'), staff: max },
  }
}

const fillTiers = (given: GivenTiers): Tiers => ({
  unverified: mergeTier(defaultTiers.unverified, given.unverified),
  free: mergeTier(defaultTiers.free, given.free),
  business: mergeTier(defaultTiers.business, given.business),
  enterprise: mergeTier(defaultTiers.enterprise, given.enterprise),
})

const MiB = 1024 * 1024

const toCaps = ({
  brains,
  dailyWrites,
  dailyMegabytes,
  dailyRuns,
  fileMegabytes,
  webPages,
  distillations,
}: Omit<Tiers['free'], 'dailyModelCents' | 'rate' | 'receipts'>): Caps => ({
  ...{ brains, dailyWrites, dailyRuns, webPages, distillations },
  ...{ dailyBytes: dailyMegabytes * MiB, fileBytes: fileMegabytes * MiB },
})

type ReadTiers = {
  rates: Rates
  caps: CapsByTier
  receiptsByTier: ReceiptsByTier
  modelBudgets: ModelBudgets
  unverifiedOrganizations: number
}

export const readTiers = (values: Values & { NOEMA_MAX_RECEIPTS: number }, given: GivenTiers): ReadTiers => {
  const tiers = fillTiers(given)
  const { unverified, free, business, enterprise } = tiers
  return {
    rates: {
      ...{ unverified: unverified.rate, free: free.rate, business: business.rate, enterprise: enterprise.rate },
      staff: undefined,
      address: values.NOEMA_ADDRESS_RATE,
      failures: values.NOEMA_FAILURE_RATE,
      organizationFactor: values.NOEMA_ORGANIZATION_RATE_FACTOR,
    },
    caps: {
      ...{ unverified: toCaps(unverified), free: toCaps(free), business: toCaps(business) },
      ...{ enterprise: undefined, staff: undefined },
    },
    receiptsByTier: toReceipts(tiers, values.NOEMA_MAX_RECEIPTS),
    modelBudgets: {
      ...{ free: free.dailyModelCents, business: business.dailyModelCents },
      enterprise: given.enterprise?.dailyModelCents ?? null,
    },
    unverifiedOrganizations: unverified.organizations,
  }
}
