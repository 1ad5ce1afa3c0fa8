import type { Limits } from '../../../config/config.ts'
import { rateLimited } from '../../../shared/errors.ts'
import type { Tx } from '../../../storage/database.ts'
import { secondsLeftToday } from '../../kernel/usage/usage.ts'
import { lockUsage } from '../../kernel/usage/usage-queries.ts'
import { addRunsToday, countRunsToday, selectTier } from './start-queries.ts'
import { findCaps } from './start-run.ts'

/** Counts work that is not a run of an agent as runs of today. Throws where the account has no more of them. */
export const takeRuns = async (
  tx: Tx,
  limits: Pick<Limits, 'caps'>,
  { organizationId, count, now }: { organizationId: string; count: number; now: Date },
): Promise<void> => {
  await lockUsage(tx, organizationId)
  const caps = findCaps(limits, await selectTier(tx, organizationId))
  if (caps && (await countRunsToday(tx, organizationId, now)) + count > caps.dailyRuns)
    throw rateLimited(
      `This would be ${count} more of the account's ${caps.dailyRuns} runs of today. Continue tomorrow (UTC), or ask the operator to raise the limit.`,
      { code: 'run_cap', retryAfterSeconds: secondsLeftToday(now) },
    )
  await addRunsToday(tx, { organizationId, count, now })
}
