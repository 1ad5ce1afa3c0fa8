import type { setBillingTier } from '@noema/contracts/admin.ts'
import type { TierLimits } from '@noema/contracts/administered-organizations.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Limits } from '../../../config/config.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { addAuditOfChange } from '../../platform/audit/audit.ts'
import { updateTier } from './queries.ts'

// Tiers of organizations. NOEMA_TIERS sets their limits.

/** The tier of a new organization. */
const defaultTier = 'free'

const names = ['unverified', 'free', 'business', 'enterprise', 'staff'] as const

/** The limits of each tier, and of accounts with an unconfirmed address. */
export const readTiers = ({
  caps,
  rates,
  receiptsByTier,
  modelBudgets,
}: Pick<Limits, 'caps' | 'rates' | 'receiptsByTier' | 'modelBudgets'>): TierLimits[] =>
  names.map((tier) => {
    const cap = caps[tier]
    const rate = tier === 'staff' ? null : rates[tier]
    return {
      ...{ tier, isDefault: tier === defaultTier, rate: rate && { perSecond: rate.perSecond, burst: rate.burst } },
      ...{ brains: cap?.brains ?? null, dailyWrites: cap?.dailyWrites ?? null },
      ...{ dailyBytes: cap?.dailyBytes ?? null, dailyRuns: cap?.dailyRuns ?? null },
      fileBytes: cap?.fileBytes ?? null,
      receipts: receiptsByTier[tier],
      dailyModelCents: tier === 'unverified' ? 0 : tier === 'staff' ? null : modelBudgets[tier],
    }
  })

/** An organization by its id, and its tier. */
type Setting = BodyOutput<typeof setBillingTier>
export type Tier = Setting['tier']

/** Sets the tier of an organization within a transaction. */
export const setTierWithin = async (tx: Tx, by: Actor, { tenantId, tier }: Setting, now: Date): Promise<void> => {
  const before = await updateTier(tx, tenantId, tier)
  if (before === undefined) throw notFound(`There is no organization ${JSON.stringify(tenantId)}.`)
  const target = { type: 'organization', id: tenantId }
  const act = { organizationId: tenantId, by, action: 'tier.set', target } as const
  await addAuditOfChange(tx, { ...act, before: { tier: before }, after: { tier } }, now)
}

/** Sets the tier of an organization, from its next request on. */
export const setTier = ({ db, clock }: { db: Db; clock: Clock }, by: Actor, setting: Setting): Promise<void> =>
  db.transaction().execute((tx) => setTierWithin(tx, by, setting, clock.now()))
