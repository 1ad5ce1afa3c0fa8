import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectCurrentRecords } from '../../knowledge/records/record-queries.ts'

const pageSize = 2_000

/** The live records of a kind, a page at a time. */
export async function* readRecords(db: Queryable, brainId: number, kind: string): AsyncGenerator<BrainRecord[]> {
  let after = ''
  for (;;) {
    const page = await selectCurrentRecords(db, brainId, kind, after, pageSize)
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (!last) return
    after = last.id
  }
}
