import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { type ColumnArrays, type ColumnTypes, toColumnArrays } from '../../../storage/sent-values.ts'
import { fromColumns } from '../../../storage/statements.ts'
import type { NarrowBrains } from '../../kernel/leases/lease-queries.ts'
import { indexVersion } from '../../kernel/unsearchable/unsearchable.ts'
import { brainsWithUntried } from '../../kernel/unsearchable/unsearchable-queries.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import { contentSize } from '../../kernel/versioning/version-columns-queries.ts'
import { passageColumns, type TermsPart } from './build-segment.ts'
import type { Segment } from './search-queries.ts'
import type { PackedVersion } from './split-version.ts'

// Each table gets the number of the Brain as a value, so that one server can run the statement on divided tables.
const recordAt = (brainId: number, id: ReturnType<typeof sql>) => sql`(
  select record from record_versions as about where about.brain_id = ${brainId} and about.id = ${id}
    and about.from_state <= statement.from_state and (about.to_state is null or about.to_state > statement.from_state)
  order by about.from_state desc, about.version desc limit 1)`

/** A statement with the records that it was about when it was asserted, as a `FoundContent`. */
export const statementContent = (brainId: number) => sql`json_build_object('statement', statement.statement,
  'subject', ${recordAt(brainId, sql`statement.subject_id`)},
  'object', ${recordAt(brainId, sql`(statement.statement #>> '{object,record,id}')`)})`

/** Versions of events: a document's by number, others by the state in which they were applied. */
export type EventVersion = {
  position: number
  type: ContentType
  id: string
  version: number | null
  state: number | null
}

const requestedColumns = {
  position: 'bigint',
  type: 'text',
  id: 'text',
  version: 'integer',
  state: 'bigint',
} satisfies Record<keyof EventVersion, string> & ColumnTypes

/** A row of the statement below. */
type VersionRow = Omit<PlacedVersion, 'content'> & { count: number; content: string | null }

/** A version, and the position of its event. */
export type PlacedVersion = PackedVersion & { position: number }

/** Versions in the order of their positions, the number of those that are too long, and the position up to which they are complete. */
export type FoundVersions = { versions: PlacedVersion[]; tooLong: number; upTo: number | undefined }

/**
 * The requested versions that were ever valid, in the order of their positions, as many as fit in `maxCharacters` and at least one.
 * Versions longer than `maxVersionLength` are only counted.
 */
export const selectVersions = async (
  db: Queryable,
  brainId: number,
  requested: readonly EventVersion[],
  { maxCharacters, maxVersionLength }: { maxCharacters: number; maxVersionLength: number },
): Promise<FoundVersions> => {
  const of = (type: ContentType, versions: RawBuilder<unknown>) => sql`
    select requested.position, requested.type, requested.id, item.version, item.from_state, item.to_state, item.content,
      item.text, item.length
    from requested cross join lateral (${versions}) as item where requested.type = ${type}`
  const { rows } = await sql<VersionRow>`
    with requested as materialized (
      select * from ${fromColumns(requestedColumns, toColumnArrays(requestedColumns, requested))}
        as row (position, type, id, version, state)),
    found as (
      ${of(
        'record',
        sql`select record.version, from_state, to_state, record.record as content, null::text as text,
          ${contentSize(sql`record.record`)} as length
        from record_versions as record where record.brain_id = ${brainId}
          and record.id = requested.id and record.from_state = requested.state`,
      )}
      union all
      ${of(
        'statement',
        sql`select statement.version, from_state, to_state, ${statementContent(brainId)} as content, null::text as text,
          ${contentSize(sql`statement.statement`)} as length
        from statements as statement where statement.brain_id = ${brainId}
          and statement.id = requested.id and statement.from_state = requested.state`,
      )}
      union all
      ${of(
        'document',
        sql`select document.version, from_state, to_state, document.document as content, document.text,
          (document.document->>'length')::integer as length
        from document_versions as document where document.brain_id = ${brainId}
          and document.id = requested.id and document.version = requested.version`,
      )})
    select position, type, id, version, from_state as "fromState", to_state as "toState", count,
      case when length <= ${maxVersionLength}::bigint then content::text end as content, case when length <= ${maxVersionLength}::bigint then text end as text
    from (select *, count(*) over () as count, sum(case when length <= ${maxVersionLength}::bigint then length else 0 end)
        over (order by position range between unbounded preceding and 1 preceding) as before
      from found where to_state is distinct from from_state) as counted
    where coalesce(before, 0) < ${maxCharacters}::bigint order by position, version`.execute(db)
  const versions = rows.flatMap(({ content, count, ...row }) => (content === null ? [] : { ...row, content }))
  const isAll = rows.length === (rows[0]?.count ?? 0)
  return { versions, tooLong: rows.length - versions.length, upTo: isAll ? undefined : rows.at(-1)?.position }
}

/** The progress of a Brain's index: the position in its stream, and the numbers that were given out. */
export type Progress = { position: number; lastPassage: number; lastSegment: number }

const progressColumns = sql`position, last_passage as "lastPassage", last_segment as "lastSegment"`

/**
 * Brains whose index lags behind their stream, or lacks versions that other code could not index, of some. In two parts: the first
 * searches all Brains, and few have rows of the second. Joined tables are narrowed as well, which PostgreSQL does by itself for
 * equal numbers only.
 */
export const brainsToIndex = (narrow: NarrowBrains): RawBuilder<unknown> => sql`
  select brain.brain_id, null::timestamptz as due
  from brains as brain left join passage_progress as progress
    on progress.brain_id = brain.brain_id and ${narrow(sql`progress.brain_id`)}
  where brain.deleted_at is null and brain.position > coalesce(progress.position, 0) and ${narrow(sql`brain.brain_id`)}
  union
  select brain.brain_id, null::timestamptz as due
  from (${brainsWithUntried(narrow, indexVersion)}) as untried join brains as brain using (brain_id)
  where brain.deleted_at is null`

/** The progress of a Brain's index; undefined where the Brain was deleted. */
export const openProgress = async (db: Queryable, brainId: number): Promise<Progress | undefined> => {
  const { rows } = await sql<Progress>`
    with opened as (
      insert into passage_progress (brain_id)
      select brain_id from brains where brain_id = ${brainId} and deleted_at is null for key share
      on conflict (brain_id) do nothing returning ${progressColumns})
    select ${progressColumns} from passage_progress where brain_id = ${brainId}
    union all select * from opened`.execute(db)
  return rows[0]
}

/** Locks a live Brain against deletion until the transaction ends: rows that are written for a deleted Brain would never be erased. */
export const holdBrain = async (tx: Tx, brainId: number): Promise<boolean> => {
  const { rows } = await sql`select brain_id from brains
    where brain_id = ${brainId} and deleted_at is null for key share`.execute(tx)
  return rows.length > 0
}

/** Advances the index of a Brain from a position. False where another node did so meanwhile. */
export const moveProgress = async (tx: Queryable, brainId: number, from: Progress, to: Progress): Promise<boolean> => {
  const { numAffectedRows } = await sql`update passage_progress
    set position = ${to.position}, last_passage = ${to.lastPassage}, last_segment = ${to.lastSegment}
    where brain_id = ${brainId} and position = ${from.position} and last_segment = ${from.lastSegment}`.execute(tx)
  return numAffectedRows === 1n
}

/** Inserts passages, whose columns are arrays. */
export const insertPassages = (tx: Tx, brainId: number, columns: ColumnArrays) =>
  sql`
  insert into passages (brain_id, passage, type, id, version, ordinal, starts, ends, page, heading, text, terms, from_state,
    to_state, sequence, place)
  select ${brainId}::bigint, row.* from ${fromColumns(passageColumns, columns)} as row`.execute(tx)

/** Inserts postings of a segment, whose lists are one run of bytes. */
export const insertPostings = (tx: Tx, brainId: number, segment: number, { terms, ends, lists }: TermsPart) =>
  sql`
  insert into passage_postings (brain_id, segment, term, list)
  select ${brainId}, ${segment}, term, substring(${Buffer.from(lists)}::bytea from starts + 1 for ends - starts)
  from rows from (json_array_elements_text(${terms}::json), unnest(${[0, ...ends.slice(0, -1)]}::integer[]),
    unnest(${ends}::integer[])) as row (term, starts, ends)`.execute(tx)

const segmentColumns = sql`segment, first_passage as "firstPassage", last_passage as "lastPassage"`

export const insertSegment = (tx: Tx, brainId: number, { segment, firstPassage, lastPassage }: Segment) =>
  sql`insert into passage_segments (brain_id, segment, first_passage, last_passage)
    values (${brainId}, ${segment}, ${firstPassage}, ${lastPassage})`.execute(tx)

/** The segments of a Brain in the order of their passages. */
export const selectSegments = async (db: Queryable, brainId: number): Promise<Segment[]> => {
  const { rows } = await sql<Segment>`select ${segmentColumns} from passage_segments
    where brain_id = ${brainId} order by first_passage`.execute(db)
  return rows
}

/** Merges adjacent segments. Lists are packed so that this concatenates them. */
export const mergeSegments = (tx: Tx, brainId: number, merged: Segment, parts: readonly Segment[]) =>
  sql`
  with part as (
    delete from passage_segments where brain_id = ${brainId}
      and segment = any(${parts.map(({ segment }) => segment)}::bigint[]) returning segment, first_passage),
  posting as (
    delete from passage_postings where brain_id = ${brainId}
      and segment = any(${parts.map(({ segment }) => segment)}::bigint[]) returning segment, term, list),
  whole as (
    insert into passage_segments (brain_id, segment, first_passage, last_passage)
    values (${brainId}, ${merged.segment}, ${merged.firstPassage}, ${merged.lastPassage}))
  insert into passage_postings (brain_id, segment, term, list)
  select ${brainId}, ${merged.segment}, term, string_agg(list, ''::bytea order by first_passage)
  from posting join part using (segment) group by term`.execute(tx)

/**
 * Records which versions of these items ended. Each item is looked up by its key, which is right whatever statistics the database
 * has of tables that were filled a moment ago.
 */
export const recordEnds = (
  tx: Tx,
  brainId: number,
  position: number,
  items: readonly { type: ContentType; id: string }[],
) =>
  sql`
  update passages as passage set to_state = ended.to_state, noted = ${position}
  from json_to_recordset(${JSON.stringify(items)}::json) as item (type text, id text)
  cross join lateral (
    select passage, version, from_state from passages where brain_id = ${brainId} and passages.id = item.id
      and passages.type = item.type and to_state is null offset 0) as open
  cross join lateral (
    select to_state from record_versions as record where item.type = 'record' and record.brain_id = ${brainId}
      and record.id = item.id and record.version = open.version and to_state is not null
    union all select to_state from statements where item.type = 'statement' and statements.brain_id = ${brainId}
      and statements.id = item.id and statements.from_state = open.from_state and to_state > open.from_state
    union all select to_state from document_versions as document where item.type = 'document'
      and document.brain_id = ${brainId} and document.id = item.id and document.version = open.version
      and to_state is not null) as ended
  where passage.brain_id = ${brainId} and passage.passage = open.passage`.execute(tx)

/** Numbers of passages after one that are not known to have ended, ascending. */
export const selectLivePassages = async (db: Queryable, brainId: number, after: number, limit: number) => {
  const { rows } = await sql<{ passage: number }>`select passage from passages
    where brain_id = ${brainId} and passage > ${after} and to_state is null order by passage limit ${limit}`.execute(db)
  return rows.map(({ passage }) => passage)
}
