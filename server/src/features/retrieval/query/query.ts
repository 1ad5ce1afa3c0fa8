import type { BodyOutput, Result } from '@noema/contracts/endpoint.ts'
import type { queryRecords } from '@noema/contracts/query.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Clock } from '../../../shared/clock.ts'
import { type FairLimiter, runInSlot } from '../../../shared/concurrency/fair-limiter.ts'
import { invalidArgument } from '../../../shared/errors.ts'
import { isJsonObject, type Json } from '../../../shared/text/json.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { brainList } from '../../kernel/brains/brains.ts'
import { atOneState, hasMoreThan, readAtState } from '../../kernel/state-reads/state-reads.ts'
import { listedRecords } from '../../knowledge/records/record-queries.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import { badCursor, encodeCursor, inListOrder, openCursor } from '../../platform/cursors/cursors.ts'
import { cutToPage } from '../../platform/cursors/page-queries.ts'
import { makeFingerprint } from '../../platform/idempotency/idempotency.ts'
import { leaveReceipt, type PreviewServed, type ReceiptWriter } from '../receipts/leave-receipt.ts'
import { joinAtOnce } from './count-queries.ts'
import { countRecords, groupRecords } from './counting.ts'
import {
  type Conditions,
  examinedPerPage,
  maxQueryBytes,
  type Page,
  type QueryPosition,
  queryFieldPage,
  readIndexed,
} from './field-query.ts'
import { isFiltered, passesFilters } from './filters.ts'
import { followLinks } from './links.ts'
import { indexNotReady } from './predicates.ts'

// A query reads records only by indexes: it never scans (QRY-03). Slugs always have one; fields have one if the schema declares it and
// it was built.

type Deps = {
  db: Db
  clock: Clock
  receipts: ReceiptWriter
  schemas: SchemaCache
  countSlots: FairLimiter
  publicUrl: string
  preview?: { described: { change: string; blockedBy?: string }; served: PreviewServed } | undefined
}
type Query = BodyOutput<typeof queryRecords>

/** The position in a cursor of a query; none where its page examined nothing. */
const parsePosition = (value: unknown): QueryPosition | undefined => {
  if (value === '') return undefined
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) throw badCursor()
  const [sorted, id] = value
  return [String(sorted), String(id)]
}

const parseSlug = (condition: Json | undefined): string | undefined => {
  if (condition === undefined) return undefined
  const given = isJsonObject(condition) && Object.keys(condition).length === 1 ? condition.eq : condition
  if (typeof given === 'string') return given
  throw indexNotReady('slug', 'a slug can only be compared for equality, as a text or as { "eq": "…" }.')
}

/** Refuses filters that indexes do not answer where they would have to be checked on every record. */
const refuseFilters = (query: Query): void => {
  for (const name of ['source', 'since', 'until'] as const)
    if (query[name] !== undefined)
      throw invalidArgument([name], 'leave it out with count and aggregate, which read only indexes.')
}

/** A page of a kind's records by id: all, or the one that has a slug; now or as of an earlier state. */
const queryKindPage = async (
  { db }: Deps,
  brain: BrainRow,
  query: Query,
  { slug, after }: { slug: string | undefined; after: QueryPosition | undefined },
): Promise<Page & { stateVersion: number }> => {
  if (Array.isArray(after)) throw badCursor()
  const { kind, limit, order, asOf } = query
  const taken = isFiltered(query) ? Math.max(limit, examinedPerPage) : limit
  const listed = listedRecords(brain.brainId, { kind, slug, asOf }, { after, limit: taken + 1, order })
  const read = cutToPage(listed, { limit: taken, order, maxBytes: maxQueryBytes })
  const { stateVersion, rows } = await readAtState(db, brain, read, asOf, order)
  const all = rows.flatMap(({ json }): BrainRecord[] => (json === null ? [] : [JSON.parse(json)]))
  const kept = all.filter((record) => passesFilters(query, record))
  const records = kept.slice(0, limit)
  const isCut = kept.length > limit
  const end = (isCut ? records.at(-1)?.id : rows.at(-1)?.place) ?? after
  return {
    records,
    end: end === undefined ? undefined : String(end),
    hasMore: isCut || hasMoreThan(rows),
    stateVersion,
  }
}

const withFields = (record: BrainRecord, select: readonly string[] | undefined): BrainRecord => {
  if (!select) return record
  const fields = Object.fromEntries(Object.entries(record.fields).filter(([name]) => select.includes(name)))
  return { ...record, fields }
}

const toItemRef = ({ id, version }: BrainRecord) => ({ type: 'record' as const, id, version })

/** A page of records, and the count and groups that were asked for, at one state. */
type Found = Page & { stateVersion: number } & Pick<Result<typeof queryRecords>, 'count' | 'aggregate'>

const refuseForGroups = (query: Query): void => {
  for (const name of ['after', 'links', 'select'] as const)
    if (query[name] !== undefined)
      throw invalidArgument([name], 'leave it out with aggregate, which returns no records.')
}

/** Reads a page by the indexes of fields, or counts records, in one transaction. */
const queryByIndexes = (
  deps: Deps,
  brain: BrainRow,
  query: Query,
  { conditions, slug, after }: { conditions: Conditions; slug: string | undefined; after: QueryPosition | undefined },
): Promise<Found> =>
  atOneState(deps.db, brain, query.asOf, async (tx, { stateVersion, schemaVersion }) => {
    const { aggregate } = query
    const schema = await deps.schemas(tx, brain.brainId, schemaVersion)
    const counting = await readIndexed(tx, brain, query, { schema, publicUrl: deps.publicUrl, conditions, slug })
    const readPage = async (): Promise<Page> => {
      if (aggregate) return { records: [], end: undefined, hasMore: false }
      if (counting.predicates.length > 0) return queryFieldPage(tx, brain, query, { ...counting, after })
      return queryKindPage({ ...deps, db: tx }, brain, query, { slug, after })
    }
    const page = await readPage()
    if (aggregate || query.count) await joinAtOnce(tx)
    return {
      ...page,
      ...(query.count ? { count: await countRecords(tx, brain, query, counting) } : {}),
      ...(aggregate ? { aggregate: await groupRecords(tx, brain, { ...query, aggregate }, counting) } : {}),
      stateVersion,
    }
  })

/** Finds the records of a query. Counts wait for a slot, so that those of one organization leave the database to others. */
const findRecords = (
  deps: Deps,
  brain: BrainRow,
  query: Query,
  asked: Parameters<typeof queryByIndexes>[3],
): Promise<Found> => {
  const { organizationId: organization } = brain
  if (query.aggregate) refuseForGroups(query)
  if (query.aggregate || query.count) refuseFilters(query)
  if (query.aggregate || query.count)
    return runInSlot(deps.countSlots, { organization, key: organization }, () =>
      queryByIndexes(deps, brain, query, asked),
    )
  return Object.keys(asked.conditions).length === 0
    ? queryKindPage(deps, brain, query, asked)
    : queryByIndexes(deps, brain, query, asked)
}

/** Answers a query, and leaves a receipt of the versions that it served. */
export const runQuery = async (deps: Deps, brain: BrainRow, query: Query) => {
  const { kind, where = {}, select, links, consumerId } = query
  const { slug: slugCondition, ...conditions } = where
  const slug = parseSlug(slugCondition)
  // A position is valid in its own query alone.
  const filters = [query.source, query.since, query.until]
  const name = `query:${makeFingerprint(isFiltered(query) ? [kind, where, filters] : [kind, where]).toString('base64url', 0, 12)}`
  const list = inListOrder(brainList(deps.db, brain, { list: name, start: '' }), query.order)
  const after = query.after === undefined ? undefined : parsePosition(await openCursor(list, query.after))
  const { records, end, hasMore, stateVersion, ...counted } = await findRecords(deps, brain, query, {
    conditions,
    slug,
    after,
  })
  const following = links && { ...links, stateVersion, maxBytes: maxQueryBytes }
  const { linked, isTruncated } = following
    ? await followLinks(deps.db, brain.brainId, records, following)
    : { linked: undefined, isTruncated: false }
  const items = [...records, ...(linked ?? [])].map(toItemRef)
  const receipt = await leaveReceipt(deps, brain, {
    ...{ consumerId, operation: 'query', stateVersion, items },
    ...deps.preview?.served,
  })
  const preview = deps.preview?.described
  return {
    records: records.map((record) => withFields(record, select)),
    ...(linked ? { linked } : {}),
    ...(isTruncated ? { truncated: true } : {}),
    ...counted,
    cursor: encodeCursor({ ...list, place: end ?? '' }),
    hasMore,
    receipt,
    ...(preview ? { preview } : {}),
    stateVersion,
  }
}
