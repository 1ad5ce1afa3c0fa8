import type { Provenance } from '@noema/contracts/common.ts'
import type { BrainDocument } from '@noema/contracts/documents.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import type { JsonObject } from '../../../shared/text/json.ts'
import { type ConceptDocument, type ConceptRecord, type ConceptStatement, hashConcept } from './concepts.ts'
import { toDocumentPath, toNextPath, toRecordPath } from './paths.ts'
import { writeHead } from './write-head.ts'
import { type Targets, writeNotes } from './write-notes.ts'

// Items of a Brain as files: frontmatter with what readers of the format know, the part that brings the item back without loss, and
// below it text for people.

/** A file of a bundle, and when its content last changed. */
export type ConceptFile = { path: string; text: string; at: string; title: string }

type Stored = { brain: string }
export type StoredStatement = Statement & { version: number }
type StoredDocument = BrainDocument & { text: string }

/** Frontmatter that the service writes itself; values of an item with these names are in its own part. */
const recordNames = new Set(['type', 'body', 'generated', 'noema'])
const documentNames = new Set(['type', 'title', 'resource', 'generated', 'noema'])

const pick = (values: JsonObject, isPicked: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => isPicked(name)))

/** The value of a property, unless it says nothing. */
const kept = <Name extends string, Value>(name: Name, value: Value | null | undefined) =>
  (value === null || value === undefined ? {} : { [name]: value }) as { [name in Name]?: NonNullable<Value> }

const toOrigin = ({ source, trust }: Provenance) =>
  source === undefined && trust === undefined
    ? {}
    : { provenance: { ...kept('source', source), ...kept('trust', trust) } }

/** The writer of a version, as the format names people and programs. */
const toGenerated = ({ actor, key }: Provenance, at: string): JsonObject => ({
  by: actor?.type === 'session' ? `human:${actor.id}` : `process:${key}`,
  at,
})

const toConceptRecord = ({ id, kind, slug, fields, links, expiresAt, provenance }: BrainRecord): ConceptRecord => ({
  ...{ id, kind, fields, links },
  ...kept('slug', slug),
  ...kept('expiresAt', expiresAt),
  ...toOrigin(provenance),
})

const toConceptStatement = ({ sources, provenance, ...one }: Statement): ConceptStatement => ({
  ...{ id: one.id, subject: one.subject, predicate: one.predicate, object: one.object },
  ...kept('validFrom', one.validFrom),
  ...kept('validTo', one.validTo),
  ...kept('confidence', one.confidence),
  ...(sources.length === 0 ? {} : { sources }),
  ...toOrigin(provenance),
})

const toConceptDocument = ({ title, source, sequence, ...one }: StoredDocument): ConceptDocument => ({
  ...{ id: one.id, text: one.text, contentType: one.contentType, metadata: one.metadata },
  ...kept('title', title),
  ...kept('source', source),
  ...kept('occurredAt', one.occurredAt),
  ...kept('sequence', sequence),
  ...kept('expiresAt', one.expiresAt),
  ...toOrigin(one.provenance),
})

type Subject = { id: string; kind: string }

/** Statements without their subject, where that is the record of the file. */
const toOwnStatements = (statements: readonly StoredStatement[], subject: Subject) =>
  statements.map((one) => {
    const { subject: about, ...rest } = toConceptStatement(one)
    const isOther = about.id !== subject.id || about.kind !== subject.kind
    return { ...rest, ...(isOther ? { subject: about } : {}), version: one.version }
  })

/** The file of a record, with the first statements about it. */
export const writeRecord = (
  record: BrainRecord,
  statements: readonly StoredStatement[],
  { brain, targets }: Stored & { targets: Targets },
): ConceptFile => {
  const { id, kind, slug, version, links, provenance, updatedAt } = record
  const concept = toConceptRecord(record)
  const fields = record.fields as JsonObject
  const body = typeof fields.body === 'string' ? fields.body : undefined
  const rest = pick(fields, (name) => recordNames.has(name) && !(name === 'body' && body !== undefined))
  const own = {
    ...{
      record: id,
      brain,
      version,
      hash: hashConcept({ record: concept, statements: statements.map(toConceptStatement) }),
    },
    ...kept('slug', slug),
    ...(body === undefined ? {} : { body: true }),
    ...(Object.keys(rest).length === 0 ? {} : { fields: rest }),
    ...kept('expiresAt', concept.expiresAt),
    ...kept('provenance', concept.provenance),
    ...(links.length === 0 ? {} : { links }),
    ...(statements.length === 0 ? {} : { statements: toOwnStatements(statements, record) }),
  }
  const shown = pick(fields, (name) => !recordNames.has(name))
  const values = { type: kind, ...shown, generated: toGenerated(provenance, updatedAt) }
  const notes = writeNotes(body ?? '', { links, statements }, targets)
  const title = typeof fields.title === 'string' ? fields.title : typeof fields.name === 'string' ? fields.name : id
  return { path: toRecordPath(record), text: writeHead(values, own as JsonObject) + notes, at: updatedAt, title }
}

/** A further file with statements about a record that has many. */
export const writeStatements = (
  record: BrainRecord,
  statements: readonly StoredStatement[],
  { brain, targets, number }: Stored & { targets: Targets; number: number },
): ConceptFile => {
  const { id, kind, updatedAt } = record
  const hash = hashConcept({ statements: statements.map(toConceptStatement) })
  const own = { about: { id, kind }, brain, hash, statements: toOwnStatements(statements, record) }
  const text =
    writeHead({ type: kind }, own as unknown as JsonObject) + writeNotes('', { links: [], statements }, targets)
  return { path: toNextPath(toRecordPath(record), number), text, at: updatedAt, title: `${id} (${number})` }
}

/** The file of a document: its text below its frontmatter. */
export const writeDocument = (document: StoredDocument, { brain }: Stored): ConceptFile => {
  const { id, version, text, title, source, contentType, provenance, updatedAt } = document
  const concept = toConceptDocument(document)
  const metadata = document.metadata as JsonObject
  const rest = pick(metadata, (name) => documentNames.has(name))
  const own = {
    ...{ document: id, brain, version, hash: hashConcept({ document: concept }), contentType },
    ...kept('source', source),
    ...(Object.keys(rest).length === 0 ? {} : { metadata: rest }),
    ...kept('occurredAt', concept.occurredAt),
    ...kept('sequence', concept.sequence),
    ...kept('expiresAt', concept.expiresAt),
    ...kept('provenance', concept.provenance),
  }
  const { type } = metadata
  const values = {
    type: typeof type === 'string' && type.trim() !== '' ? type : 'Document',
    ...kept('title', title),
    ...kept('resource', source?.uri),
    ...pick(metadata, (name) => !documentNames.has(name)),
    generated: toGenerated(provenance, updatedAt),
  }
  return {
    path: toDocumentPath(id),
    text: writeHead(values, own as JsonObject) + text,
    at: updatedAt,
    title: title ?? id,
  }
}
