import { BadSetting, rate, wholeNumber } from './setting.ts'
import { defaultTiers, type GivenTiers, type TierName } from './tiers.ts'

// Version 0.1.0 had one setting for each limit of each tier, such as NOEMA_FREE_BRAINS. The release after it still reads
// them and logs a warning. Later releases do not, so this file can be deleted then.

type Environment = Readonly<Record<string, string | undefined>>
type Limit = 'brains' | 'dailyWrites' | 'dailyMegabytes' | 'dailyRuns' | 'organizations' | 'rate'

const cap = wholeNumber(0, Number.MAX_SAFE_INTEGER)
const schemas = {
  brains: cap,
  dailyWrites: cap,
  dailyMegabytes: wholeNumber(0, 1_000_000_000),
  dailyRuns: cap,
  organizations: wholeNumber(1, 100_000),
  rate,
} as const satisfies Record<Limit, unknown>

const toName = (tier: string, limit: string): string =>
  `NOEMA_${tier}_${limit.replace(/[A-Z]/g, (capital) => `_${capital}`)}`.toUpperCase()

/** Each of them by name, with the tier and the limit that it sets. */
const oldSettings = new Map(
  (Object.keys(defaultTiers) as TierName[]).flatMap((tier) =>
    (Object.keys(schemas) as Limit[])
      .filter((limit) => limit in defaultTiers[tier])
      .map((limit) => [toName(tier, limit), { tier, limit }] as const),
  ),
)

/** The settings that NOEMA_TIERS replaces. */
export const oldTierSettings: ReadonlySet<string> = new Set(oldSettings.keys())

const agreesWith = (value: unknown, other: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).every(([key, part]) => part === (other as Record<string, unknown>)[key])
    : value === other

/** Adds the settings of 0.1.0 to NOEMA_TIERS. Throws BadSetting if the two differ. */
export const addOldTiers = (given: GivenTiers, env: Environment): GivenTiers => {
  const tiers: Record<string, Record<string, unknown> | undefined> = { ...given }
  for (const [name, { tier, limit }] of oldSettings) {
    if (!env[name]) continue
    const parsed = schemas[limit].safeParse(env[name])
    if (!parsed.success)
      throw new BadSetting(`${name} is not usable: ${parsed.error.issues.map(({ message }) => message).join('; ')}.`)
    const present = tiers[tier]?.[limit]
    if (present !== undefined && !agreesWith(present, parsed.data))
      throw new BadSetting(`${name} differs from ${tier}.${limit} in NOEMA_TIERS; remove ${name}.`)
    tiers[tier] = { ...tiers[tier], [limit]: parsed.data }
  }
  return tiers
}
