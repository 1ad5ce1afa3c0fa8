import type { ListOrder } from '@noema/contracts/common.ts'
import type { RawBuilder } from 'kysely'
import { notFound, refuseAt } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { endPage, openPage, type PageQuery, type PageRequest } from '../../platform/cursors/cursors.ts'
import { cutToPage, type ListedRows } from '../../platform/cursors/page-queries.ts'
import { type BrainRow, selectLiveBrain } from '../brains/brain-queries.ts'
import { brainList, noSuchBrain } from '../brains/brains.ts'
import type { VersionTable } from '../versioning/types.ts'
import {
  listAtState,
  listVersions,
  maxSmallLimit,
  type ReadRow,
  readInOrder,
  type SmallRow,
  type StateRow,
} from './state-queries.ts'

/** The rows of a read at the state that it was read at. With `asOf`, the Brain must have reached that state. */
const toStateRead = (
  brain: BrainRow,
  rows: readonly StateRow[],
  asOf: number | undefined,
): { stateVersion: number; rows: ReadRow[] } => {
  const stateVersion = rows[0]?.stateVersion
  if (stateVersion === undefined) throw noSuchBrain(brain.handle)
  if (asOf !== undefined && asOf > stateVersion) throw toAheadError(asOf, stateVersion)
  return { stateVersion: asOf ?? stateVersion, rows: rows.flatMap((row) => (row.place === null ? [] : [row])) }
}

/**
 * Runs a read (a select of `place` and `json`) together with the Brain's stateVersion in one statement, so that the answer
 * names exactly the state of the read (D-07).
 */
export const readAtState = async (
  db: Db,
  brain: BrainRow,
  read: RawBuilder<unknown>,
  asOf: number | undefined,
  order: ListOrder = 'asc',
): Promise<{ stateVersion: number; rows: ReadRow[] }> => {
  const { rows } = await listAtState(brain.brainId, read, order).execute(db)
  return toStateRead(brain, rows, asOf)
}

/** Returns the one found item as the JSON text of `data`. If there is none, `missing` describes that for the state. */
export const readOne = async (
  brain: BrainRow,
  { name, found, asOf }: { name: string; found: Promise<readonly StateRow[]>; asOf: number | undefined },
  missing: (stateVersion: number) => string,
): Promise<string> => {
  const { stateVersion, rows } = toStateRead(brain, await found, asOf)
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

/** Checks whether more items follow a page: items that did not fit, or that it did not examine. */
export const hasMoreThan = (rows: readonly ReadRow[]): boolean => {
  const last = rows.at(-1)
  return last !== undefined && (last.json === null || last.stopped === true || (last.found ?? 0) > rows.length)
}

/** A list of a Brain: the name in its cursors, the name in its answer, and the position before its first item. */
type NamedList<Place> = { list: string; name: string; start: Place }

type VersionPageQuery = PageQuery & { asOf?: number | undefined }

/** The items of a page, each as JSON text, the place of the last one, and the state that they were read at. */
type FoundPage = { items: string[]; last: string | number | undefined; hasMore: boolean; stateVersion: number }

const toPage = (brain: BrainRow, found: readonly StateRow[], asOf: number | undefined): FoundPage => {
  const { stateVersion, rows } = toStateRead(brain, found, asOf)
  const items = rows.flatMap((row) => row.json ?? [])
  return { items, last: rows.at(-1)?.place, hasMore: hasMoreThan(rows), stateVersion }
}

/** A page of small items; undefined if they are larger. */
const toSmallPage = (brain: BrainRow, [state, ...rows]: readonly SmallRow[]): FoundPage | undefined => {
  if (!state || state.stateVersion === null) throw noSuchBrain(brain.handle)
  if (!state.fits) return undefined
  const items = rows.map(({ json }) => json ?? '')
  const last = rows.at(-1)?.place ?? undefined
  return { items, last, hasMore: state.found > items.length, stateVersion: state.stateVersion }
}

/** The two ways to read a page. `small`: a cheaper read that finds nothing if the items of the page are large. */
type PageReads<Place> = {
  any(page: PageRequest<Place extends string ? string : number>): Promise<readonly StateRow[]>
  small?(page: PageRequest<Place extends string ? string : number>): Promise<readonly SmallRow[]>
}

/** Reads one page of a list as the JSON text of `data`. Its items are passed through as the database has them. */
export const readStatePage = async <Place extends string | number>(
  db: Db,
  brain: BrainRow,
  { name, ...named }: NamedList<Place>,
  query: VersionPageQuery,
  reads: PageReads<Place>,
): Promise<string> => {
  const { limit, order, asOf } = query
  const page = await openPage(brainList<Place>(db, brain, named), query)
  const request = { after: page.after, limit, order }
  const small = reads.small && limit <= maxSmallLimit ? toSmallPage(brain, await reads.small(request)) : undefined
  const { items, last, hasMore, stateVersion } = small ?? toPage(brain, await reads.any(request), asOf)
  const cursor = endPage(page, last as typeof page.begin | undefined)
  return `{"${name}":[${items.join(',')}],"cursor":"${cursor}","hasMore":${hasMore},"stateVersion":${stateVersion}}`
}

/** The same by a select that is put together for each page. */
export const readVersionPage = <Place extends string | number>(
  db: Db,
  brain: BrainRow,
  named: NamedList<Place>,
  query: VersionPageQuery,
  read: (page: PageRequest<Place extends string ? string : number>) => ListedRows,
): Promise<string> =>
  readStatePage(db, brain, named, query, {
    any: async ({ after, limit, order }) => {
      const listed = read({ after, limit: limit + 1, order })
      return (await listAtState(brain.brainId, cutToPage(listed, { limit, order }), order).execute(db)).rows
    },
  })

type History = { table: Pick<VersionTable, 'name' | 'type'>; id: string; json: RawBuilder<unknown>; list: string }

/** A page of a thing's versions by number, each as `json` shows it. */
export const readHistory = async (
  db: Db,
  brain: BrainRow,
  { table: { name: table, type }, id, json, list }: History,
  query: PageQuery,
): Promise<string> => {
  const page = await readVersionPage(db, brain, { list, name: 'versions', start: 0 }, query, (requested) =>
    listVersions({ table, type, brainId: brain.brainId, id, json }, requested),
  )
  if (query.after === undefined && page.startsWith('{"versions":[]'))
    throw notFound(`There has never been a ${type} ${JSON.stringify(id)}.`)
  return page
}
