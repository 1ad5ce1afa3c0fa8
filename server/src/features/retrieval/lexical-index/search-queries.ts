import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { defineStatement } from '../../../storage/statements.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import { statementContent } from './indexing-queries.ts'
import type { Passage } from './split-version.ts'

/** A segment's number, and the passages that it indexes. */
export type Segment = { segment: number; firstPassage: number; lastPassage: number }

/** A Brain and its index at one moment. */
export type IndexState = {
  /** The last position of the Brain's stream, and its state. */
  head: number
  stateVersion: number
  /** The position up to which the stream is indexed. */
  position: number
  lastPassage: number
  segments: Segment[]
  /** True if any version could not be indexed. */
  hasUnsearchable: boolean
}

/** The state of a live Brain's index. */
export const selectIndexState = defineStatement(
  ({ brainId }: { brainId: number }) => sql<IndexState>`
  select brain.position as head, state_version as "stateVersion", coalesce(progress.position, 0) as position,
    coalesce(last_passage, 0) as "lastPassage",
    exists (select 1 from unsearchable_versions where brain_id = ${brainId}) as "hasUnsearchable", (select coalesce(json_agg(json_build_object('segment', segment,
      'firstPassage', first_passage, 'lastPassage', last_passage) order by first_passage), '[]')
      from passage_segments where brain_id = ${brainId}) as segments
  from brains as brain left join passage_progress as progress using (brain_id)
  where brain_id = ${brainId} and deleted_at is null`,
)

export type ListRow = { segment: number; term: string | null; list: Buffer | null }

/** The lists of terms in segments, both JSON arrays. A segment that is not among the rows was merged meanwhile. */
export const selectLists = defineStatement(
  ({ brainId, segments, terms }: { brainId: number; segments: string; terms: string }) => sql<ListRow>`
  select segment, found.term, found.list from json_array_elements_text(${segments}::json) as given (number)
  cross join lateral (select segment from passage_segments
    where brain_id = ${brainId} and segment = given.number::bigint limit 1) as there
  left join lateral (select term, list from json_array_elements_text(${terms}::json) as requested (name)
    cross join lateral (select term, list from passage_postings
      where brain_id = ${brainId} and segment = there.segment and term = requested.name limit 1) as posting) as found on true`,
)

/** The columns of a passage that are kept in memory, packed into bytes: two integers of 4 bytes and four of 8. */
export const packedPassage = {
  bytes: 40,
  ordinal: 0,
  terms: 4,
  fromState: 8,
  toState: 16,
  sequence: 24,
  place: 32,
} as const

const orZero = (column: RawBuilder<unknown>) => sql`int8send(coalesce(${column}, 0)::bigint)`

/** The passages after one, packed in their order. */
export const selectPacked = async (db: Queryable, brainId: number, after: number, upTo: number): Promise<Buffer> => {
  const { rows } = await sql<{ packed: Buffer | null }>`
    select string_agg(int4send(ordinal) || int4send(terms) || ${orZero(sql`from_state`)} || ${orZero(sql`to_state`)}
      || ${orZero(sql`hashtextextended(sequence, 0)`)} || ${orZero(sql`place`)}, ''::bytea order by passage) as packed
    from passages where brain_id = ${brainId} and passage > ${after} and passage <= ${upTo}`.execute(db)
  return rows[0]?.packed ?? Buffer.alloc(0)
}

/** Passages whose end was recorded after a position of the stream. */
export const selectEndsAfter = async (db: Queryable, brainId: number, after: number) => {
  const { rows } = await sql<{ passage: number; toState: number }>`
    select passage, to_state as "toState" from passages where brain_id = ${brainId} and noted > ${after}`.execute(db)
  return rows
}

/** An indexed passage by its number, or an unindexed one with its content. */
export type RequestedPassage =
  | { passage: number }
  | ({ passage: number } & Pick<Passage, 'type' | 'id' | 'version' | 'starts' | 'ends' | 'page' | 'text' | 'fromState'>)

export type LiveRow = {
  passage: number
  type: ContentType
  id: string
  version: number
  starts: number
  ends: number
  page: number | null
  text: string
  content: object
}

/** Beyond every state. */
export const endless = Number.MAX_SAFE_INTEGER

/** `requested` is a JSON array of RequestedPassage. A version must be valid in `state` and end after `until`. */
type LiveParams = { brainId: number; requested: string; state: number; until: number; validAt: string | null }

/**
 * The condition that a version is valid. With coalesce only the primary keys fit: PostgreSQL would read whole indexes of
 * current rows.
 */
const isLive = (alias: string, { state, until }: LiveParams) => {
  const [from, to] = [sql.ref(`${alias}.from_state`), sql.ref(`${alias}.to_state`)]
  return sql`${from} <= ${state} and coalesce(${to}, ${sql.lit(endless)}) > ${until}`
}

/**
 * The passages whose versions are valid in a state, and still are if that state is the current one. This alone decides which
 * passages are answered: the index only proposes. Each is looked up by its key, which is right whatever statistics the database
 * has of tables that were filled a moment ago; since it cannot look into JSON, it plans this once.
 */
export const selectLive = defineStatement((params: LiveParams) => {
  const { brainId, requested } = params
  const time = sql`${params.validAt}::timestamptz`
  const of = (versions: RawBuilder<unknown>) => sql`
    select requested.passage, requested.type, requested.id, item.version, requested.starts, requested.ends, requested.page,
      requested.text, item.content
    from requested join brains as brain on brain.brain_id = ${brainId} and brain.deleted_at is null
      cross join lateral (${versions}) as item`
  return sql<LiveRow>`
    with requested as (
      select given.passage, coalesce(given.type, found.type) as type, coalesce(given.id, found.id) as id,
        coalesce(given.version, found.version) as version, coalesce(given.starts, found.starts) as starts,
        coalesce(given.ends, found.ends) as ends, coalesce(given.page, found.page) as page,
        coalesce(given.text, found.text) as text,
        coalesce(given."fromState", found.from_state) as from_state
      from json_to_recordset(${requested}::json) as given (passage bigint, type text, id text,
        version integer, starts integer, ends integer, page integer, text text, "fromState" bigint)
      left join lateral (select * from passages where brain_id = ${brainId} and passage = given.passage
        and given.id is null limit 1) as found on true)
    ${of(sql`select record.version, record.record as content from record_versions as record
      where requested.type = 'record' and record.brain_id = ${brainId} and record.id = requested.id
        and record.from_state = requested.from_state and record.version = requested.version and ${isLive('record', params)}`)}
    union all
    ${of(sql`select statement.version, ${statementContent(brainId)} as content from statements as statement
      where requested.type = 'statement' and statement.brain_id = ${brainId} and statement.id = requested.id
        and statement.from_state = requested.from_state and ${isLive('statement', params)}
        and (${time} is null or (coalesce(valid_from, '-infinity') <= ${time} and coalesce(valid_to, 'infinity') > ${time}))`)}
    union all
    ${of(sql`select document.version, document.document as content from document_versions as document
      where requested.type = 'document' and document.brain_id = ${brainId} and document.id = requested.id
        and document.from_state = requested.from_state and document.version = requested.version and ${isLive('document', params)}`)}`
})

/** A term with the bytes of its lists, which grow with the passages that have it. */
export type TermRow = { term: string; bytes: number }

/** Those of some terms that segments have; both are JSON arrays. */
export const selectTerms = defineStatement(
  ({ brainId, segments, terms }: { brainId: number; segments: string; terms: string }) => sql<TermRow>`
  select found.term, sum(octet_length(found.list))::integer as bytes
  from json_array_elements_text(${segments}::json) as given (number)
  cross join json_array_elements_text(${terms}::json) as requested (name)
  cross join lateral (select term, list from passage_postings
    where brain_id = ${brainId} and segment = given.number::bigint and term = requested.name limit 1) as found
  group by found.term`,
)

/** Terms of segments between two others, as many of each as a limit says. */
export const selectTermsBetween = defineStatement(
  (params: { brainId: number; segments: string; after: string; before: string; limit: number }) => sql<TermRow>`
  select found.term, sum(octet_length(found.list))::integer as bytes
  from json_array_elements_text(${params.segments}::json) as given (number)
  cross join lateral (select term, list from passage_postings
    where brain_id = ${params.brainId} and segment = given.number::bigint
      and term > ${params.after} and term < ${params.before} order by term limit ${params.limit}) as found
  group by found.term`,
)

/** The first passages of the records of a JSON array of ids that are valid in a state, as far as the index knows. */
export const selectPassagesOf = defineStatement(
  ({ brainId, ids, state }: { brainId: number; ids: string; state: number }) => sql<{ passage: number }>`
  select found.passage from json_array_elements_text(${ids}::json) as given (id)
  cross join lateral (select passage from passages
    where brain_id = ${brainId} and id = given.id and type = 'record' and ordinal = 0 and from_state <= ${state}
      and (to_state is null or to_state > ${state})
    order by passage desc limit 1) as found`,
)

type TextRow = { passage: number; heading: string; text: string }

const texts = ({ brainId, passages }: { brainId: number; passages: readonly number[] }) => sql<TextRow>`
  select passage, heading, text from passages
  where brain_id = ${brainId} and passage = any(${passages}::bigint[]) order by passage`

/** The texts of some passages, and their headings, in the order of their numbers. */
export const selectTexts = defineStatement(texts)

/** The same, for work in the background. */
export const readTexts = async (db: Queryable, brainId: number, passages: readonly number[]): Promise<TextRow[]> =>
  (await texts({ brainId, passages: [...passages] }).execute(db)).rows
