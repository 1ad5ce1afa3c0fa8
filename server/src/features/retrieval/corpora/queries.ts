import type { Corpus } from '@noema/contracts/corpora.ts'
import { sql } from 'kysely'
import { isShown, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { type BrainRow, brainColumns } from '../../kernel/brains/brain-queries.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

/** A part as it is stored: the Brain by its id, so that a later one of the same handle is not taken for it. */
export type StoredPart = Omit<Corpus['parts'][number], 'brain'> & { brainId: string }

export type CorpusRow = { name: string; parts: StoredPart[]; createdAt: Date; updatedAt: Date }

type Place = { organizationId: string; name: string }

const columns = sql`name, parts, created_at as "createdAt", updated_at as "updatedAt"`

/** Locks the corpora of an organization until the transaction ends, so that their maximum is exact. */
export const lockCorpora = (tx: Tx, organizationId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`corpora ${organizationId}`}, 0))`.execute(tx)

export const countCorpora = async (db: Queryable, organizationId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from corpora
    where organization_id = ${organizationId}`.execute(db)
  return rows[0]?.count ?? 0
}

export const selectCorpus = async (db: Queryable, { organizationId, name }: Place) => {
  const { rows } = await sql<CorpusRow>`select ${columns} from corpora
    where organization_id = ${organizationId} and name = ${name}`.execute(db)
  return rows[0]
}

/** Those of these names that corpora have. */
export const selectCorpusNames = async (
  db: Queryable,
  organizationId: string,
  names: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select name from corpora
    where organization_id = ${organizationId} and name = any(${[...names]})`.execute(db)
  return rows.map(({ name }) => name)
}

/** A page of the organization's corpora by name. */
export const selectCorpora = async (db: Queryable, organizationId: string, page: PageRequest<string>) => {
  const { rows } = await sql<CorpusRow>`select ${columns} from corpora
    where organization_id = ${organizationId} and ${isAfter(sql`name`, page)}
    ${inOrder(sql`name`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Writes a corpus whole, whether or not it exists. */
export const upsertCorpus = async (
  db: Queryable,
  { organizationId, name }: Place,
  parts: readonly StoredPart[],
  now: Date,
): Promise<CorpusRow> => {
  const { rows } = await sql<CorpusRow>`
    insert into corpora as corpus (organization_id, name, parts, created_at, updated_at)
    values (${organizationId}, ${name}, ${JSON.stringify(parts)}::json, ${now}, ${now})
    on conflict (organization_id, name) do update set parts = excluded.parts, updated_at = excluded.updated_at
    returning ${columns}`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a corpus was not written')
  return row
}

/** Deletes a corpus and returns it. */
export const deleteCorpusRow = async (db: Queryable, { organizationId, name }: Place) => {
  const { rows } = await sql<CorpusRow>`delete from corpora
    where organization_id = ${organizationId} and name = ${name} returning ${columns}`.execute(db)
  return rows[0]
}

/** The handles of those live Brains that are open to a viewer, by their ids. */
export const selectHandles = async (
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
  viewer: Viewer,
): Promise<Map<string, string>> => {
  const { rows } = await sql<{ id: string; handle: string }>`select id, handle from brain_directory as named
    where organization_id = ${organizationId} and id = any(${[...ids]}) and deleted_at is null
      and ${isShown(sql`named.brain_id`, viewer)}`.execute(db)
  return new Map(rows.map(({ id, handle }) => [id, handle]))
}

/** Those live Brains that are open to a viewer. */
export const selectBrainsByIds = async (
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
  viewer: Viewer,
): Promise<Map<string, BrainRow>> => {
  const { rows } = await sql<BrainRow>`
    with shown as materialized (select brain_id from brain_directory as named
      where organization_id = ${organizationId} and id = any(${[...ids]}) and deleted_at is null
        and ${isShown(sql`named.brain_id`, viewer)})
    select ${brainColumns} from shown join brains as brain on brain.brain_id = shown.brain_id and brain.deleted_at is null`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.id, row]))
}
