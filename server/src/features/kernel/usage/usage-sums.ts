import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'
import { withTimeout } from '../../../shared/timeout.ts'
import type { BrainServers } from '../../../storage/brain-servers.ts'
import type { Db } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'
import { selectUsage, type Usage } from './usage-queries.ts'

/** The sums of a node that run at once: each may hold a connection for as long as a server does not answer. */
const maxSums = 2
const answerMilliseconds = 3_000

/** The usage of today of all organizations that are counted together with one; undefined while a server does not answer. */
export type SumUsage = (organizationId: string, now: Date) => Promise<Usage | undefined>

/** Sums the usage of accounts where the tables are on several servers. A sum asks each of them, so it takes as long as the slowest. */
export const createUsageSums = ({ db, brainServers }: { db: Db; brainServers: BrainServers }): SumUsage => {
  const slots = createSemaphore(maxSums)
  return async (organizationId, now) => {
    if (brainServers.isAnySilent()) return undefined
    let isLate = false
    const sum = slots.run(async () => (isLate ? undefined : selectUsage(db, organizationId, now)))
    try {
      return await withTimeout(sum, answerMilliseconds)
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      return undefined
    } finally {
      isLate = true
    }
  }
}
