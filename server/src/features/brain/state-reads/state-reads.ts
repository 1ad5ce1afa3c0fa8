import type { RawBuilder } from 'kysely'
import { notFound, validation } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { cutPage, openPlace } from '../../platform/cursors/cursors.ts'
import { type BrainRow, brainList, noSuchBrain, selectLiveBrain } from '../brains/brains.ts'
import type { VersionTable } from '../versioning/versioning.ts'
import { type ReadRow, readInOrder, selectAtState, selectVersionsAfter } from './queries.ts'

export { readInOrder } from './queries.ts'

/**
 * Runs a read (a select of `place` and `json`) together with the Brain's stateVersion in one statement, so that the answer
 * names exactly the state that it was read at (D-07). With `asOf`, that state must have been reached.
 */
export const readAtState = async (
  db: Db,
  brain: BrainRow,
  read: RawBuilder<unknown>,
  asOf: number | undefined,
): Promise<{ stateVersion: number; rows: ReadRow[] }> => {
  const rows = await selectAtState(db, brain.brainId, read)
  const stateVersion = rows[0]?.stateVersion
  if (stateVersion === undefined) throw noSuchBrain(brain.handle)
  if (asOf !== undefined && asOf > stateVersion) throw toAheadError(asOf, stateVersion)
  const items = rows.flatMap(({ place, json }) => (place === null || json === null ? [] : [{ place, json }]))
  return { stateVersion: asOf ?? stateVersion, rows: items }
}

/** Reads one thing as the JSON text of `data`. Where it is not there, `missing` says so of the state that was read. */
export const readOne = async (
  db: Db,
  brain: BrainRow,
  { name, read, asOf }: { name: string; read: RawBuilder<unknown>; asOf: number | undefined },
  missing: (stateVersion: number) => string,
): Promise<string> => {
  const { stateVersion, rows } = await readAtState(db, brain, read, asOf)
  const json = rows[0]?.json
  if (json === undefined) throw notFound(missing(stateVersion))
  return `{"${name}":${json},"stateVersion":${stateVersion}}`
}

const toAheadError = (asOf: number, stateVersion: number) =>
  validation(`asOf=${asOf} is ahead of this Brain, which is at stateVersion ${stateVersion}.`)

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

/** A list of a Brain: the name that its cursors carry, the name of its answer, and the place before its first item. */
type NamedList = { list: string; name: string; start: string | number }

/**
 * Reads one page of a list as the JSON text of `data`. The read receives the place to begin after and how many rows to
 * take: one more than the page holds, which tells whether anything is left.
 */
export const readVersionPage = async (
  db: Db,
  brain: BrainRow,
  { name, ...named }: NamedList,
  { after, limit, asOf }: { after?: string | undefined; limit: number; asOf?: number | undefined },
  read: (after: string | number, take: number) => RawBuilder<unknown>,
): Promise<string> => {
  const list = brainList(db, brain, named)
  const begin = await openPlace(list, after)
  const { stateVersion, rows } = await readAtState(db, brain, read(begin, limit + 1), asOf)
  const { items, cursor, hasMore } = cutPage(list, rows, { begin, limit, toPlace: ({ place }) => place })
  const json = items.map((row) => row.json).join(',')
  return `{"${name}":[${json}],"cursor":"${cursor}","hasMore":${hasMore},"stateVersion":${stateVersion}}`
}

type History = { table: Pick<VersionTable, 'name' | 'type'>; id: string; json: RawBuilder<unknown>; list: string }

/** A page of a thing's versions, oldest first, each as `json` shows it. */
export const readHistory = async (
  db: Db,
  brain: BrainRow,
  { table: { name, type }, id, json, list }: History,
  query: { after?: string | undefined; limit: number },
): Promise<string> => {
  const page = await readVersionPage(db, brain, { list, name: 'versions', start: 0 }, query, (after, take) =>
    selectVersionsAfter({ table: name, brainId: brain.brainId, id, json }, after, take),
  )
  if (query.after === undefined && page.startsWith('{"versions":[]'))
    throw notFound(`There has never been a ${type} ${JSON.stringify(id)}.`)
  return page
}
