import type { OrganizationDetail } from '@noema/contracts/administered-organizations.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import { readArtifactUsage } from '../../files/artifacts/artifacts.ts'
import { selectUse } from './queries.ts'

// The use of an organization's caps, for the operator of the service.

/** The use of today and in all, with the caps. */
export const readUse = async (
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  caps: Caps,
): Promise<Pick<OrganizationDetail, 'use' | 'countedTogether'>> => {
  const now = clock.now()
  const [{ used, brains, runs, countedTogether }, files] = await Promise.all([
    selectUse(db, id, now),
    readArtifactUsage(db, id, now),
  ])
  return {
    countedTogether,
    use: {
      brains: { used: brains, max: caps?.brains ?? null },
      dailyWrites: { used: used.writes, max: caps?.dailyWrites ?? null },
      dailyBytes: { used: used.bytes, max: caps?.dailyBytes ?? null },
      dailyRuns: { used: runs, max: caps?.dailyRuns ?? null },
      fileBytes: { used: files.bytes, max: caps?.fileBytes ?? null },
    },
  }
}
