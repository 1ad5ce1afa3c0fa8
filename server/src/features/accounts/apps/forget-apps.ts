import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import { deleteExpiredTokens, deleteUnusedApps, endUnusedGrants } from './app-queries.ts'

const day = 86_400_000

/** An authorization code works for ten minutes; until then, a grant without tokens may still get some. */
const codeMilliseconds = 15 * 60_000

/** Ends what nothing can use: grants without tokens, expired tokens, and apps without a grant for a day. */
export const forgetApps = async ({ db, clock }: { db: Db; clock: Clock }): Promise<void> => {
  const now = clock.now()
  await endUnusedGrants(db, { now, before: new Date(now.getTime() - codeMilliseconds) })
  await deleteExpiredTokens(db, now)
  await deleteUnusedApps(db, new Date(now.getTime() - day))
}
