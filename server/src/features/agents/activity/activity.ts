import type { Operation } from '@noema/contracts/activity.ts'
import type { Db } from '../../../storage/database.ts'
import { endPage, type List, openPage, type PageQuery } from '../../platform/cursors/cursors.ts'
import { readToolSchemas } from '../tool-schemas/tool-schemas.ts'
import { operationViews } from './operation-view.ts'
import { type ActivityFilter, type OperationRow, selectActivity, selectOperations } from './queries.ts'

// The operations of runs, one after the other: the newest of an organization, and all of one run.

const showOperations = async (db: Db, organizationId: string, rows: readonly OperationRow[]): Promise<Operation[]> => {
  const hashes = new Set(rows.flatMap(({ toolSchemaHash }) => toolSchemaHash ?? []))
  return operationViews(rows, await readToolSchemas(db, organizationId, hashes))
}

/** The newest operations of an organization that a filter leaves. */
export const listActivity = async (
  { db }: { db: Db },
  organizationId: string,
  filter: ActivityFilter,
): Promise<Operation[]> => showOperations(db, organizationId, await selectActivity(db, organizationId, filter))

/** A page of a run's operations in their order. It ends early where they are long. */
export const listOperationPage = async (
  { db }: { db: Db },
  run: { organizationId: string; id: string },
  { list, query }: { list: List<number>; query: PageQuery },
) => {
  const page = await openPage(list, query)
  const { limit, order } = query
  const { rows, found } = await selectOperations(db, run, { after: page.after, limit, order })
  const cursor = endPage(page, rows.at(-1)?.place)
  return { operations: await showOperations(db, run.organizationId, rows), cursor, hasMore: found > rows.length }
}
