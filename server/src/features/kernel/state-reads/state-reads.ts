import type { ListOrder } from '@noema/contracts/common.ts'
import type { RawBuilder } from 'kysely'
import { notFound, refuseAt } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { endPage, openPage, type PageQuery, type PageRequest } from '../../platform/cursors/cursors.ts'
import { cutToPage, type ListedRows } from '../../platform/cursors/page-queries.ts'
import { type BrainRow, selectLiveBrain } from '../brains/brain-queries.ts'
import { brainList, noSuchBrain } from '../brains/brains.ts'
import type { VersionTable } from '../versioning/types.ts'
import { listVersions, type ReadRow, readInOrder, selectAtState } from './state-queries.ts'

/**
 * Runs a read (a select of `place` and `json`) together with the Brain's stateVersion in one statement, so that the answer
 * names exactly the state that it was read at (D-07). With `asOf`, that state must have been reached.
 */
export const readAtState = async (
  db: Db,
  brain: BrainRow,
  read: RawBuilder<unknown>,
  asOf: number | undefined,
  order: ListOrder = 'asc',
): Promise<{ stateVersion: number; rows: ReadRow[] }> => {
  const rows = await selectAtState(db, brain.brainId, read, order)
  const stateVersion = rows[0]?.stateVersion
  if (stateVersion === undefined) throw noSuchBrain(brain.handle)
  if (asOf !== undefined && asOf > stateVersion) throw toAheadError(asOf, stateVersion)
  return { stateVersion: asOf ?? stateVersion, rows: rows.flatMap((row) => (row.place === null ? [] : [row])) }
}

/** Reads one thing as the JSON text of `data`. Where it is not there, `missing` says so of the state that was read. */
export const readOne = async (
  db: Db,
  brain: BrainRow,
  { name, read, asOf }: { name: string; read: RawBuilder<unknown>; asOf: number | undefined },
  missing: (stateVersion: number) => string,
): Promise<string> => {
  const { stateVersion, rows } = await readAtState(db, brain, read, asOf)
  const json = rows[0]?.json ?? undefined
  if (json === undefined) throw notFound(missing(stateVersion))
  return `{"${name}":${json},"stateVersion":${stateVersion}}`
}

/** The refusal of a state that a Brain has not reached. */
export const toAheadError = (asOf: number, stateVersion: number) =>
  refuseAt(['asOf'], `asOf=${asOf} is ahead of this Brain, which is at stateVersion ${stateVersion}.`)

/** Runs several reads on one state of a Brain: the current one, or an earlier one that `asOf` names. */
export const atOneState = <Found>(
  db: Db,
  brain: BrainRow,
  asOf: number | undefined,
  read: (tx: Tx, at: { stateVersion: number; schemaVersion: number }) => Promise<Found>,
): Promise<Found> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await readInOrder(tx)
      const now = await selectLiveBrain(tx, brain.brainId)
      if (!now) throw noSuchBrain(brain.handle)
      const { stateVersion, schemaVersion } = now
      if (asOf !== undefined && asOf > stateVersion) throw toAheadError(asOf, stateVersion)
      return read(tx, { stateVersion: asOf ?? stateVersion, schemaVersion })
    })

/** Whether there is more behind a page: what did not fit into it, or what it did not look at. */
export const hasMoreThan = (rows: readonly ReadRow[]): boolean => {
  const last = rows.at(-1)
  return last !== undefined && (last.json === null || last.stopped === true || (last.found ?? 0) > rows.length)
}

/** A list of a Brain: the name that its cursors carry, the name of its answer, and the place before its first item. */
type NamedList<Place> = { list: string; name: string; start: Place }

type VersionPageQuery = PageQuery & { asOf?: number | undefined }

/** Reads one page of a list as the JSON text of `data`, whose items are passed through as the database has them. */
export const readVersionPage = async <Place extends string | number>(
  db: Db,
  brain: BrainRow,
  { name, ...named }: NamedList<Place>,
  query: VersionPageQuery,
  read: (page: PageRequest<Place extends string ? string : number>) => ListedRows,
): Promise<string> => {
  const { limit, order, asOf } = query
  const page = await openPage(brainList<Place>(db, brain, named), query)
  const listed = read({ after: page.after, limit: limit + 1, order })
  const { stateVersion, rows } = await readAtState(db, brain, cutToPage(listed, { limit, order }), asOf, order)
  const cursor = endPage(page, rows.at(-1)?.place as typeof page.begin | undefined)
  const hasMore = hasMoreThan(rows)
  const json = rows.flatMap((row) => row.json ?? []).join(',')
  return `{"${name}":[${json}],"cursor":"${cursor}","hasMore":${hasMore},"stateVersion":${stateVersion}}`
}

type History = { table: Pick<VersionTable, 'name' | 'type'>; id: string; json: RawBuilder<unknown>; list: string }

/** A page of a thing's versions by number, each as `json` shows it. */
export const readHistory = async (
  db: Db,
  brain: BrainRow,
  { table: { name: table, type }, id, json, list }: History,
  query: PageQuery,
): Promise<string> => {
  const page = await readVersionPage(db, brain, { list, name: 'versions', start: 0 }, query, (wanted) =>
    listVersions({ table, type, brainId: brain.brainId, id, json }, wanted),
  )
  if (query.after === undefined && page.startsWith('{"versions":[]'))
    throw notFound(`There has never been a ${type} ${JSON.stringify(id)}.`)
  return page
}
