import type { BrainDocument } from '@noema/contracts/documents.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import {
  endVersions,
  linesOf,
  newestOf,
  numberedOf,
  selectVersionStandings,
  type Version,
  validAt,
} from '../versioning/versions.ts'

/** A document version as it was served. Whether it was retired since is told by the row that holds it. */
export type ServedDocument = Omit<BrainDocument, 'status'>

export type DocumentVersion = Version & { hash: string; retired: boolean; document: ServedDocument }

/** A version with its text, as a write makes it. */
export type NewDocumentVersion = DocumentVersion & { text: string }

export const documentTable = { table: 'document_versions', thing: 'document', gone: 'retired' } as const

/** The newest version of each of these documents, retired ones included, without texts: hashes tell them apart. */
export const selectNewestDocuments = async (tx: Queryable, brainId: number, ids: readonly string[]) => {
  const { rows } = await sql<DocumentVersion>`
    select newest.id, version, hash, from_state as "fromState", to_state as "toState", retired,
      ended_change as "endedChange", document
    from ${newestOf(documentTable, brainId, ids)}`.execute(tx)
  return rows
}

/** Where these documents stand: the version that is served, null where none is, and the change that made it so. */
export const selectDocumentStandings = (db: Queryable, brainId: number, ids: readonly string[]) =>
  selectVersionStandings(db, brainId, { ...documentTable, ids })

/** Numbered versions of documents with their texts. */
export const selectNumberedDocuments = async (
  db: Queryable,
  brainId: number,
  wanted: readonly { id: string; version: number }[],
) => {
  const { rows } = await sql<NewDocumentVersion>`
    select numbered.id, numbered.version, hash, from_state as "fromState", null as "toState", false as retired,
      null as "endedAt", null as "endedChange", document, text
    from ${numberedOf(documentTable, brainId, wanted)}`.execute(db)
  return rows
}

/** Which of these texts are served, and under which ids. */
export const selectServedHashes = async (db: Queryable, brainId: number, hashes: readonly string[]) => {
  const { rows } = await sql<{ id: string; hash: string }>`select id, hash from document_versions
    where brain_id = ${brainId} and hash = any(${[...hashes]}) and to_state is null`.execute(db)
  return rows
}

/** The served documents of a source by id: what a snapshot that does not hold them retires. */
export const selectServedOfSource = async (db: Queryable, brainId: number, source: string) => {
  const { rows } = await sql<{ id: string; version: number; title: string | null }>`
    select id, version, document->>'title' as title from document_versions
    where brain_id = ${brainId} and source_name = ${source} and to_state is null order by id`.execute(db)
  return rows
}

/** How many documents of a source are served. */
export const countServedOfSource = async (db: Queryable, brainId: number, source: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from document_versions
    where brain_id = ${brainId} and source_name = ${source} and to_state is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** Ends versions that were served before. */
export const endDocuments = (tx: Queryable, brainId: number, versions: readonly DocumentVersion[]) =>
  endVersions(tx, brainId, { ...documentTable, rows: versions.map(({ document, hash, ...row }) => row) })

/** Inserts new versions with their texts, as one part of the statement that lands them. */
export const insertDocuments = (brainId: number, rows: readonly NewDocumentVersion[]): RawBuilder<unknown> => {
  const records = rows.map((row) => ({ ...row, source_name: row.document.source?.name ?? null }))
  return sql`
    insert into document_versions
      (brain_id, id, version, hash, source_name, from_state, to_state, retired, ended_at, ended_change, text, document)
    select ${brainId}::bigint, id, version, hash, source_name, "fromState", "toState", retired, "endedAt", "endedChange", text, document
    from json_to_recordset(${JSON.stringify(records)}::json)
      as row (id text, version integer, hash text, source_name text, "fromState" bigint, "toState" bigint, retired boolean,
        "endedAt" timestamptz, "endedChange" text, text text, document json)`
}

/** A document's details and its status, which was not yet retired as of a state before its retirement. */
const details = (asOf?: number) => {
  const isRetired = asOf === undefined ? sql`retired` : sql`retired and to_state <= ${asOf}`
  return sql`left(document::text, -1) || ',"status":"' || case when ${isRetired} then 'retired' else 'served' end || '"'`
}

type Moment = { version?: number | undefined; asOf?: number | undefined }

/** One document with its text: the served version, a numbered one, or the one served as of a state. */
export const documentById = (brainId: number, id: string, { version, asOf }: Moment): RawBuilder<unknown> => sql`
  select id as place, ${details(asOf)} || ',"text":' || to_json(text)::text || '}' as json from document_versions
  where brain_id = ${brainId} and id = ${id}
    and ${version === undefined ? validAt(asOf) : sql`version = ${version} and from_state <= ${asOf ?? Number.MAX_SAFE_INTEGER}`}
  order by from_state desc, version desc limit 1`

/** Served documents by id after one, without texts. */
export const documentsAfter = (
  brainId: number,
  filter: { source?: string | undefined; asOf?: number | undefined },
  after: string | number,
  take: number,
): RawBuilder<unknown> => sql`
  select id as place, ${details(filter.asOf)} || '}' as json from document_versions
  where brain_id = ${brainId} and id > ${after} and ${validAt(filter.asOf)}
    ${filter.source === undefined ? sql`` : sql`and source_name = ${filter.source}`}
  order by id limit ${take}`

/** A version of a document as its history shows it, without its text. */
export const historyJson = sql`${details()} || '}'`

/** Documents with their texts as lines of an export. */
export const documentLines = linesOf(
  documentTable,
  sql`'{"document":' || document::text || ',"text":' || to_json(text)::text`,
)
