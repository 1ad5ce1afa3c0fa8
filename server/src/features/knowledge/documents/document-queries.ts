import type { BrainDocument, DocumentArtifact } from '@noema/contracts/documents.ts'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { defineStatement } from '../../../storage/statements.ts'
import {
  atState,
  fixedInLists,
  type ListRequest,
  listAtState,
  type SmallRow,
  type StateRow,
  smallPageAtState,
} from '../../kernel/state-reads/state-queries.ts'
import { unsearchableReason } from '../../kernel/unsearchable/unsearchable-queries.ts'
import { versionsAt } from '../../kernel/versioning/state-page-queries.ts'
import type { Version } from '../../kernel/versioning/types.ts'
import { defineVersionTable, endedByNext, validAt } from '../../kernel/versioning/version-store.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutToPage, inOrder, isAfter, type ListedRows } from '../../platform/cursors/page-queries.ts'

/** A document version as it was served. The row, not this JSON, stores whether it was retired since. */
export type ServedDocument = Omit<BrainDocument, 'status'>

export type DocumentVersion = Version<ServedDocument>

/** A version with its text, as a write makes it. */
export type NewDocumentVersion = DocumentVersion & { text: string }

export const documentTable = defineVersionTable<DocumentVersion, NewDocumentVersion>({
  type: 'document',
  table: 'document_versions',
  columns: {
    hash: { type: 'text' },
    source_name: { type: 'text' },
    expires_at: { type: 'timestamptz' },
    text: { type: 'text', read: sql`text`, once: true },
  },
  toColumns: ({ content: { hash, source, expiresAt }, text }: NewDocumentVersion) => ({
    ...{ hash, text, expires_at: expiresAt ?? null },
    source_name: source?.name ?? null,
  }),
  ending: endedByNext('retired'),
  beside: sql`|| ',"text":' || to_json(text)::text`,
  // With their texts, many would be too much for one statement.
  rowsAtOnce: 1_000,
})

type ServedText = { brainId: number; hash: string }

/** Selects which of these texts are served in their Brains, and under which ids. */
export const selectServedHashes = async (db: Queryable, texts: readonly ServedText[]) => {
  if (texts.length === 0) return []
  const selects = [...Map.groupBy(texts, ({ brainId }) => brainId)].map(
    ([brainId, ofBrain]) => sql`select ${brainId}::bigint as "brainId", text.hash, served.id
      from unnest(${ofBrain.map(({ hash }) => hash)}::text[]) as text (hash)
      cross join lateral (select id from document_versions
        where brain_id = ${brainId} and hash = text.hash and to_state is null limit 2) as served`,
  )
  return (await sql<ServedText & { id: string }>`${sql.join(selects, sql` union all `)}`.execute(db)).rows
}

/** Selects the served documents of a source by id: a snapshot without them retires them. */
export const selectServedBySource = async (db: Queryable, brainId: number, source: string) => {
  const { rows } = await sql<{ id: string; version: number; title: string | null }>`
    select id, version, document->>'title' as title from document_versions
    where brain_id = ${brainId} and source_name = ${source} and to_state is null order by id`.execute(db)
  return rows
}

/** The titles of the newest versions of documents. */
export const selectDocumentTitles = async (db: Queryable, brainId: number, ids: readonly string[]) => {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string; title: string | null }>`
    select newest.id, left(newest.document->>'title', 200) as title
    from unnest(${[...ids]}::text[]) as requested (id) cross join lateral (
      select id, document from document_versions
      where brain_id = ${brainId} and id = requested.id order by version desc limit 1) as newest
    order by newest.id`.execute(db)
  return rows
}

/** The text of a served document, if it was extracted from this version of a file. */
export const selectServedTexts = async (
  db: Queryable,
  brainId: number,
  { id, artifact }: { id: string; artifact: Pick<DocumentArtifact, 'id' | 'version'> },
) => {
  const { rows } = await sql<{ text: string; artifact: DocumentArtifact }>`
    select text, document->'artifact' as artifact from document_versions
    where brain_id = ${brainId} and id = ${id} and to_state is null
      and document->'artifact'->>'id' = ${artifact.id}
      and (document->'artifact'->>'version')::integer = ${artifact.version} limit 1`.execute(db)
  return rows[0]
}

/** Counts the served documents of a source. */
export const countServedBySource = async (db: Queryable, brainId: number, source: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from document_versions
    where brain_id = ${brainId} and source_name = ${source} and to_state is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** A document's details and its status, which was not yet retired as of a state before its retirement. */
const details = (asOf?: number) => {
  const isRetired = asOf === undefined ? sql`retired` : sql`retired and to_state <= ${asOf}`
  return sql`left(document::text, -1) || ',"status":"' || case when ${isRetired} then 'retired' else 'served' end || '"'`
}

type Requested = { brainId: number; id: string; version: number | undefined; asOf: number | undefined }

const isRequested = ({ version, asOf }: Requested) => {
  if (version === undefined) return validAt(asOf)
  return asOf === undefined ? sql`version = ${version}` : sql`version = ${version} and from_state <= ${asOf}`
}

/** A row with the file that the text was extracted from. */
type DocumentRow = StateRow & { artifact: DocumentArtifact | null }

/** One document with its text: the served version, a numbered one, or the one served as of a state. */
export const documentById = defineStatement<Requested, DocumentRow>(
  (requested) => {
    const { brainId, id, version, asOf } = requested
    const isOne = version === undefined && asOf === undefined
    return atState<DocumentRow>(
      brainId,
      sql`select id as place, document->'artifact' as artifact, ${details(asOf)} || ',"text":' || to_json(text)::text
        || coalesce(',"unsearchable":' || to_json(${unsearchableReason('document', brainId, 'document_versions')})::text, '')
        || '}' as json from document_versions
      where brain_id = ${brainId} and id = ${id} and ${isRequested(requested)}
      ${isOne ? sql`` : sql`order by from_state desc, version desc limit 1`}`,
    )
  },
  { optional: ['version', 'asOf'] },
)

/** Served documents by id, without texts. A page as of a state may stop before it is full. */
export const listedDocuments = (
  brainId: number,
  { source, asOf }: { source?: string | undefined; asOf?: number | undefined },
  page: PageRequest<string>,
): ListedRows => {
  const asked = source === undefined ? sql`true` : sql`source_name = ${source}`
  const columns = sql`document, retired, to_state`
  const shown = { size: sql`pg_column_size(document)`, json: sql`${details(asOf)} || '}'` }
  if (asOf !== undefined) {
    const listed = { table: documentTable.name, brainId, asOf, columns, asked }
    return { rows: versionsAt(listed, page), ...shown, beside: sql`stopped` }
  }
  const rows = sql`select id as place, ${columns} from document_versions
    where brain_id = ${brainId} and ${isAfter(sql`id`, page)} and to_state is null and ${asked}
    ${inOrder(sql`id`, page)} limit ${page.limit}`
  return { rows, ...shown }
}

/** A page of the served documents, or of those of a source. */
export const servedDocuments = defineStatement<ListRequest & { source: string | undefined }, StateRow>(
  ({ brainId, source, after, order, limit, more }) => {
    const listed = listedDocuments(brainId, { source }, { after, order, limit: more })
    return listAtState(brainId, cutToPage(listed, { limit, order }), order)
  },
  { optional: ['after', 'source'], fixed: fixedInLists },
)

/** The same where the page is small. */
export const smallDocuments = defineStatement<ListRequest & { source: string | undefined }, SmallRow>(
  ({ source, after, more, ...page }) => {
    const listed = listedDocuments(page.brainId, { source }, { after, order: page.order, limit: more })
    return smallPageAtState(page, { ...listed, stored: sql`document` })
  },
  { optional: ['after', 'source'], fixed: fixedInLists, isShort: true },
)

/** A version of a document as its history shows it, without its text. */
export const historyJson = sql`${details()} || '}'`
