import { type RawBuilder, sql } from 'kysely'
import { createBatcher } from '../shared/concurrency/batcher.ts'
import type { DueKey, FindDueKeys } from '../shared/concurrency/leased-work.ts'
import type { Db } from './database.ts'
import { wasRefused } from './database-errors.ts'

const maxSelects = 50

/**
 * Runs the selects of one turn of the event loop as one statement, so that all workers of an idle node poll with one round
 * trip a second. If PostgreSQL refuses it, each select runs alone, and only the one at fault fails.
 */
export const createDueLooks = (db: Db): FindDueKeys => {
  const looks = createBatcher<RawBuilder<DueKey>, DueKey[]>({
    run: async (selects) => {
      const parts = selects.map(
        (select, place) => sql`select ${sql.lit(place)} as place, due.key, due."dueAt" from (${select}) as due`,
      )
      const { rows } = await sql<DueKey & { place: number }>`${sql.join(parts, sql` union all `)}`.execute(db)
      const found = selects.map((): DueKey[] => [])
      for (const { place, key, dueAt } of rows) found[place]?.push({ key, dueAt })
      return found
    },
    maxItems: maxSelects,
    isSplitAfter: wasRefused,
  })
  return looks.add
}
