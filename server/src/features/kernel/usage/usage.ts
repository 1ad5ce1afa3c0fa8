import type { Caps } from '../../../config/tiers.ts'
import { conflict, rateLimited } from '../../../shared/errors.ts'
import type { Tx } from '../../../storage/database.ts'
import { countBrains, lockUsage, selectUsage, type Usage } from './usage-queries.ts'

// The storage and write caps of an account, over all organizations that it owns (D-18). Each Brain counts its own writes of
// the day, so that an account far from its caps waits for nothing; one near a cap locks its usage, and is counted exactly.

/** The most that transactions of all nodes may apply before one of them sees it: this number, of this size. */
const unseen = { writes: 128 * 2_000, bytes: 128 * 16 * 1024 * 1024 }

export const noUsage: Usage = { writes: 0, bytes: 0 }

/** Checks whether a cap could be reached before other transactions see this usage. */
export const isNearCap = (caps: Caps, used: Usage): boolean =>
  caps !== undefined && (used.writes + unseen.writes > caps.dailyWrites || used.bytes + unseen.bytes > caps.dailyBytes)

/** Locks the usage of a Brain's owner if a cap is near, and returns the usage. */
export const settleUsage = async (
  tx: Tx,
  { organizationId, used }: { organizationId: string; used: Usage },
  { caps, now }: { caps: Caps; now: Date },
): Promise<Usage> => {
  if (!isNearCap(caps, used)) return used
  await lockUsage(tx, organizationId)
  return selectUsage(tx, organizationId, now)
}

/** Returns when the day ends in UTC and daily caps restart. */
export const endOfDay = (now: Date): Date => new Date(now.getTime() - (now.getTime() % 86_400_000) + 86_400_000)

/** Seconds until then. */
export const secondsLeftToday = (now: Date): number => Math.ceil((endOfDay(now).getTime() - now.getTime()) / 1000)

const whatNext = "Confirm the account's address, or continue tomorrow (UTC)."

/** Refuses writes beyond an account's daily caps. */
export const checkUsage = (caps: Caps, { used, more, now }: { used: Usage; more: Usage; now: Date }): void => {
  if (!caps) return
  const retryAfterSeconds = secondsLeftToday(now)
  if (used.writes + more.writes > caps.dailyWrites)
    throw rateLimited(
      `This account has used ${used.writes} of its ${caps.dailyWrites} write operations of today. ${whatNext}`,
      { code: 'write_cap', retryAfterSeconds },
    )
  if (used.bytes + more.bytes > caps.dailyBytes)
    throw rateLimited(
      `This account has written ${used.bytes} of its ${caps.dailyBytes} bytes of content of today. ${whatNext}`,
      { code: 'content_cap', retryAfterSeconds },
    )
}

/** Refuses one more Brain than an account, whose usage is locked, may have. No waiting lifts that. */
export const checkBrains = async (tx: Tx, organizationId: string, caps: NonNullable<Caps>): Promise<void> => {
  if ((await countBrains(tx, organizationId)) >= caps.brains)
    throw conflict(
      `This account has reached its limit of ${caps.brains} Brains. Delete one, or ask the operator to raise the limit.`,
      { code: 'brain_cap' },
    )
}
