import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import type { getRecord, listRecordHistory, listRecords } from '@noema/contracts/records.ts'
import { ApiError, invalidArgument } from '../../../shared/errors.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { readHistory, readOne, readStatePage, readVersionPage } from '../../kernel/state-reads/state-reads.ts'
import { listedLinking } from './link-queries.ts'
import { findSurvivor, listedVersions, selectMerged } from './merge-queries.ts'
import { currentRecords, historyJson, listedRecords, recordById, recordTable, smallRecords } from './record-queries.ts'

// Records are kept as versions, each valid from one Brain state to the next, so a read of any state is a read of rows.

type Deps = { db: Db; prepared: RunPrepared }

/** One record, now or as of an earlier state, as the JSON text of `data`. One that was merged is the one that remains. */
export const readRecord = async (
  deps: Deps,
  brain: BrainRow,
  id: string,
  { asOf }: QueryOutput<typeof getRecord>,
): Promise<string> => {
  const { brainId } = brain
  const read = (id: string) =>
    readOne(
      brain,
      { name: 'record', found: deps.prepared(recordById({ brainId, id, asOf })), asOf },
      (stateVersion) => `There is no record ${JSON.stringify(id)} at stateVersion ${stateVersion}.`,
    )
  try {
    return await read(id)
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'not_found') throw error
    const survivor = await findSurvivor(deps.db, { brainId, id, asOf })
    if (survivor === undefined) throw error
    return `{"redirectedFrom":${JSON.stringify(id)},${(await read(survivor)).slice(1)}`
  }
}

/** A page of records by id: all, or those that link to one. */
export const listRecordPage = async (
  deps: Deps,
  brain: BrainRow,
  query: QueryOutput<typeof listRecords>,
): Promise<string> => {
  const { linksTo, predicate, kind, slug, asOf } = query
  const { brainId } = brain
  if (linksTo === undefined && predicate !== undefined)
    throw invalidArgument(['predicate'], 'predicate says how records link to one: send linksTo with it.')
  const list = { list: 'records', name: 'records', start: '' }
  if (linksTo !== undefined)
    return readVersionPage(deps.db, brain, list, query, (page) => listedLinking(brainId, { ...query, linksTo }, page))
  if (slug !== undefined || asOf !== undefined)
    return readVersionPage(deps.db, brain, list, query, (page) => listedRecords(brainId, query, page))
  return readStatePage(deps.db, brain, list, query, {
    any: (page) => deps.prepared(currentRecords({ brainId, kind, ...page, more: page.limit + 1 })),
    small: (page) => deps.prepared(smallRecords({ brainId, kind, ...page, more: page.limit + 1 })),
  })
}

/** A page of a record's versions, among those of the records that were merged into it. */
export const listRecordHistoryPage = async (
  deps: Deps,
  brain: BrainRow,
  id: string,
  query: QueryOutput<typeof listRecordHistory>,
): Promise<string> => {
  const { brainId } = brain
  const merged = await selectMerged(deps.db, brainId, id)
  if (merged.length === 0)
    return readHistory(
      deps.db,
      brain,
      { table: recordTable, id, json: historyJson, list: `record-history:${id}` },
      query,
    )
  const list = { list: `merged-history:${id}`, name: 'versions', start: '' }
  return readVersionPage(deps.db, brain, list, query, (page) =>
    listedVersions({ brainId, ids: [id, ...merged], json: historyJson }, page),
  )
}
