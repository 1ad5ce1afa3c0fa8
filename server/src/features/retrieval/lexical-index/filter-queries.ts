import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** A property of versions by which searches filter: the time, the source, or a key of metadata. */
export type FilterName = 'time' | 'source' | `metadata.${string}`

export const metadataPrefix = 'metadata.'

/** A value in bytes: the first passage of its version, and the value, each an integer of 8 bytes. */
export const packedValue = { bytes: 16, passage: 0, value: 8 } as const

type Fragment = RawBuilder<unknown>

/** The number of a text: the first 6 bytes of its SHA-256. */
const hashed = (text: Fragment) =>
  sql`('x' || left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 12))::bit(48)::bigint`

/** The time in one of the parts of a version, the first that it has. */
const timeIn = (first: string, second: string) => sql`
  select round(extract(epoch from coalesce(content->>${sql.lit(first)}, content->>${sql.lit(second)})::timestamptz) * 1000)::bigint`

const times = sql`select * from (${timeIn('occurredAt', 'createdAt')}) as document (value) where type <> 'statement'
  union all select * from (${timeIn('validFrom', 'assertedAt')}) as statement (value) where type = 'statement'`

const sources = sql`select ${hashed(sql`name`)} from unnest(array[content #>> '{source,name}',
  content #>> '{provenance,source}']) as source (name) where name is not null`

/** The plain values of a key of metadata, or those of its list. */
const selectMetadata = (key: string) => sql`select ${hashed(sql`one.value #>> '{}'`)} from json_array_elements(
  case when json_typeof(content->'metadata'->${key}::text) = 'array' then content->'metadata'->${key}::text
    else json_build_array(content->'metadata'->${key}::text) end) as one (value)
  where json_typeof(one.value) in ('string', 'number', 'boolean')`

const selectValues = (name: FilterName): Fragment => {
  if (name === 'time') return times
  return name === 'source' ? sources : selectMetadata(name.slice(metadataPrefix.length))
}

/** The values of versions whose first passages are after one, packed in the order of their passages. */
export const selectFilterValues = async (
  db: Queryable,
  { brainId, name, after, upTo }: { brainId: number; name: FilterName; after: number; upTo: number },
): Promise<Buffer> => {
  const { rows } = await sql<{ packed: Buffer | null }>`
    select string_agg(int8send(passage) || int8send(found.value), ''::bytea order by passage) as packed
    from passages as passage cross join lateral (
      select record as content from record_versions as record where passage.type = 'record'
        and record.brain_id = ${brainId} and record.id = passage.id and record.from_state = passage.from_state
        and record.version = passage.version
      union all
      select statement from statements as statement where passage.type = 'statement'
        and statement.brain_id = ${brainId} and statement.id = passage.id and statement.from_state = passage.from_state
      union all
      select document from document_versions as document where passage.type = 'document'
        and document.brain_id = ${brainId} and document.id = passage.id and document.from_state = passage.from_state
        and document.version = passage.version) as item
    cross join lateral (${selectValues(name)}) as found (value)
    where passage.brain_id = ${brainId} and passage > ${after} and passage <= ${upTo} and ordinal = 0`.execute(db)
  return rows[0]?.packed ?? Buffer.alloc(0)
}
