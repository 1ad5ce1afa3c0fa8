import type { Caps } from '../../../config/tiers.ts'
import { conflict, rateLimited } from '../../../shared/errors.ts'
import type { Tx } from '../../../storage/database.ts'
import { countBrains, lockUsage, selectUsage, type Usage } from './usage-queries.ts'

// The limits of an account, counted over all organizations that it owns (D-18). Each Brain counts its own writes of the day, so
// that writers far from a cap never wait for each other; writers near a cap lock the usage of their account, and are counted exactly.

/** The most usage that the open transactions of all nodes may commit before another one sees it. */
const unseen = { writes: 128 * 2_000, bytes: 128 * 16 * 1024 * 1024 }

export const noUsage: Usage = { writes: 0, bytes: 0 }

/** Checks if the usage may reach a cap before others see it. */
export const isNearCap = (caps: Caps, used: Usage): boolean =>
  caps !== undefined && (used.writes + unseen.writes > caps.dailyWrites || used.bytes + unseen.bytes > caps.dailyBytes)

/** The exact usage: near a cap, it locks the usage of the account and reads it again. */
export const confirmUsage = async (
  tx: Tx,
  { organizationId, used }: { organizationId: string; used: Usage },
  { caps, now }: { caps: Caps; now: Date },
): Promise<Usage> => {
  if (!isNearCap(caps, used)) return used
  await lockUsage(tx, organizationId)
  return selectUsage(tx, organizationId, now)
}

/** The end of the day in UTC, when daily caps start again. */
export const endOfDay = (now: Date): Date => new Date(now.getTime() - (now.getTime() % 86_400_000) + 86_400_000)

/** Seconds until the end of the day. */
export const secondsLeftToday = (now: Date): number => Math.ceil((endOfDay(now).getTime() - now.getTime()) / 1000)

const whatNext = "Confirm the account's address, or continue tomorrow (UTC)."

/** Refuses writes beyond the daily limit of an account. */
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

/** Refuses a Brain beyond the limit of an account, whose usage is locked. Waiting does not help. */
export const checkBrains = async (tx: Tx, organizationId: string, caps: NonNullable<Caps>): Promise<void> => {
  if ((await countBrains(tx, organizationId)) >= caps.brains)
    throw conflict(
      `This account has reached its limit of ${caps.brains} Brains. Delete one, or ask the operator to raise the limit.`,
      { code: 'brain_cap' },
    )
}
