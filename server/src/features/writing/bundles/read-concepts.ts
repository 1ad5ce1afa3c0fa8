import { setImmediate } from 'node:timers/promises'
import type { BundleFile } from '@noema/contracts/bundles.ts'
import { contentId, newContentId } from '@noema/contracts/common.ts'
import { newDocument } from '@noema/contracts/documents.ts'
import { kind as anyKind, slug as anySlug, newRecord } from '@noema/contracts/records.ts'
import { newStatement } from '@noema/contracts/statements.ts'
import { z } from 'zod'
import { ApiError, refuseAt } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/text/json.ts'
import { type Concept, hashConcept } from './concepts.ts'
import { isListFile, toFolderKind } from './paths.ts'
import { type JsonReading, readHead } from './read-head.ts'
import { ownSchema, type SchemaFile, toSchemaFile } from './schema-file.ts'
import { readNotes } from './write-notes.ts'

// Files of a bundle as items: those that a Brain exported, and those of any other writer.

/** The content of a file; of an exported one also the versions of its items, and whether it was edited since. */
export type ReadConcept = Concept & {
  path: string
  /** The Brain that it was exported from. */
  brain?: string | undefined
  /** The versions that were exported: of the record or document, and of its statements. */
  version?: number | undefined
  versions?: readonly (number | undefined)[]
  isEdited: boolean
}

const version = z.int().min(1).optional()
const stamp = { brain: z.string().max(200).optional(), hash: z.string().max(100).optional() }
const aboutRecord = z.object({ id: contentId, kind: anyKind })

const ownStatement = newStatement
  .required({ id: true })
  .extend({ subject: newStatement.shape.subject.optional(), version })

const ownRecord = newRecord.omit({ kind: true }).extend({
  ...{ record: newContentId, version, ...stamp },
  body: z.literal(true).optional(),
  statements: z.array(ownStatement).optional(),
})
const ownStatements = z.object({ about: aboutRecord, statements: z.array(ownStatement), ...stamp })
const ownDocument = newDocument
  .omit({ id: true, text: true, title: true })
  .extend({ document: newContentId, version, ...stamp })

type File = BundleFile & { at: number }

const refuseFile = ({ path, at }: File, message: string, inside: readonly (string | number)[] = ['text']) =>
  refuseAt(['files', at, ...inside], `${path}: ${message}`)

const parse = <Schema extends z.ZodType>(file: File, schema: Schema, value: unknown): z.output<Schema> => {
  const { data, error } = schema.safeParse(value)
  if (!error) return data as z.output<Schema>
  const [issue] = error.issues
  throw refuseFile(file, `${[...(issue?.path ?? [])].join('.') || 'its content'}: ${issue?.message ?? 'is wrong.'}`)
}

const without = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))

/** Other Brains know none of its reads. */
const toOrigin = <Given extends { receipt?: string | undefined }>(given: Given | undefined) => {
  if (given === undefined) return {}
  const { receipt: _, ...provenance } = given
  return Object.keys(provenance).length === 0 ? {} : { provenance }
}

const toStatements = (subject: { id: string; kind: string }, given: readonly z.output<typeof ownStatement>[]) => ({
  statements: given.map(({ version: _, provenance, ...one }) => ({
    ...one,
    subject: one.subject ?? subject,
    ...toOrigin(provenance),
  })),
  versions: given.map((one) => one.version),
})

type Parts = { file: File; values: JsonObject; body: string }

const readRecord = ({ file, values, body }: Parts, own: JsonObject): ReadConcept => {
  const {
    record: id,
    statements: given = [],
    version: known,
    body: hasBody,
    hash,
    brain,
    provenance,
    ...rest
  } = parse(file, ownRecord, own)
  const kind = parse(file, anyKind, values.type)
  const notes = readNotes(body)
  const fields = {
    ...without(values, ['type', 'body', 'generated']),
    ...rest.fields,
    ...(hasBody || notes !== '' ? { body: notes } : {}),
  }
  const record = {
    ...rest,
    id,
    kind,
    links: rest.links ?? [],
    ...toOrigin(provenance),
    fields: parse(file, newRecord.shape.fields.unwrap(), fields),
  }
  const { statements, versions } = toStatements({ id, kind }, given)
  return {
    path: file.path,
    brain,
    version: known,
    record,
    statements,
    versions,
    isEdited: hash !== hashConcept({ record, statements }),
  }
}

const readDocument = ({ file, values, body }: Parts, own: JsonObject): ReadConcept => {
  const { document: id, version: known, hash, brain, provenance, metadata, ...rest } = parse(file, ownDocument, own)
  const { title } = parse(file, newDocument.pick({ title: true }), { title: values.title })
  const shown = without(values, ['type', 'title', 'resource', 'generated'])
  const document = {
    ...rest,
    ...{ id, text: body, metadata: { ...shown, ...metadata } },
    ...(title === undefined ? {} : { title }),
    ...toOrigin(provenance),
  }
  return { path: file.path, brain, version: known, document, isEdited: hash !== hashConcept({ document }) }
}

/** A file of another writer: a record if its folder is its type, else a document. */
const readForeign = ({ file, values, body }: Parts, source: string | undefined): ReadConcept => {
  const { path } = file
  const [folder = '', name = '', ...deeper] = path.split('/')
  const kind = toFolderKind(folder)
  const slug = name.replace(/\.md$/, '')
  const isRecord =
    kind === values.type && deeper.length === 0 && anyKind.safeParse(kind).success && anySlug.safeParse(slug).success
  if (isRecord) {
    const fields = { ...without(values, ['type']), ...(body.trim() === '' ? {} : { body: readNotes(body) }) }
    const record = parse(file, newRecord.extend({ id: newContentId }), { id: `${kind}/${slug}`, kind, slug, fields })
    return { path, record: { ...record, links: [] }, isEdited: true }
  }
  const document = parse(file, newDocument.required({ id: true }), {
    ...{ id: path.replace(/^documents\//, ''), text: body, contentType: 'text/markdown' },
    metadata: without(values, ['title']),
    ...(values.title === undefined ? {} : { title: values.title }),
    ...(source === undefined ? {} : { source: { name: source } }),
  })
  return { path, document, isEdited: true }
}

const parseHead = (json: JsonReading, file: File) => {
  try {
    return readHead(json, file.text)
  } catch (error) {
    throw error instanceof ApiError ? refuseFile(file, `its frontmatter: ${error.message}`) : error
  }
}

type Reading = { json: JsonReading; source: string | undefined }

const readFile = (file: File, { json, source }: Reading): ReadConcept | SchemaFile => {
  const head = parseHead(json, file)
  if ('problem' in head) throw refuseFile(file, `its frontmatter ${head.problem}`)
  const { values, own, body } = head
  const parts = { file, values, body }
  if (own === undefined) return readForeign(parts, source)
  if ('schema' in own) return toSchemaFile(file, parse(file, ownSchema, own))
  if ('record' in own) return readRecord(parts, own)
  if ('document' in own) return readDocument(parts, own)
  const { about, statements: given, brain, hash } = parse(file, ownStatements, own)
  const { statements, versions } = toStatements(about, given)
  return { path: file.path, brain, statements, versions, isEdited: hash !== hashConcept({ statements }) }
}

/** True for files that are no concepts: lists, other types of files, and texts about the folder. */
const isOther = ({ path, text }: BundleFile): boolean =>
  !path.endsWith('.md') || isListFile(path) || (/(?:^|\/)README\.md$/i.test(path) && !text.startsWith('---'))

const checkUnique = (concepts: readonly (ReadConcept & { at: number })[]): void => {
  const seen = new Map<string, string>()
  for (const { path, at, record, document, statements = [] } of concepts) {
    const names = [
      ...(record ? [`record ${record.id}`] : []),
      ...(document ? [`document ${document.id}`] : []),
      ...statements.map(({ id }) => `statement ${id}`),
    ]
    for (const name of names) {
      const other = seen.get(name)
      if (other !== undefined)
        throw refuseAt(['files', at, 'text'], `${path} and ${other} both have the ${name}. Keep it in one file.`)
      seen.set(name, path)
    }
  }
}

/** The event loop turns after so many files: others must not wait for a large bundle. */
const filesAtOnce = 50

/** Reads the files of a bundle. Throws for the first that is wrong. */
export const readBundle = async (files: readonly BundleFile[], reading: Reading) => {
  const paths = new Set<string>()
  const concepts: (ReadConcept & { at: number })[] = []
  const skipped: string[] = []
  let schema: SchemaFile | undefined
  for (const [at, file] of files.entries()) {
    if (at % filesAtOnce === filesAtOnce - 1) await setImmediate()
    if (paths.has(file.path))
      throw refuseAt(['files', at, 'path'], `${file.path} is in this bundle twice. Send each file once.`)
    paths.add(file.path)
    if (isOther(file)) {
      skipped.push(file.path)
      continue
    }
    const read = readFile({ ...file, at }, reading)
    if (!('kinds' in read)) concepts.push({ ...read, at })
    else if (schema)
      throw refuseAt(['files', at, 'text'], `${file.path} and ${schema.path} both have a schema. Keep it in one file.`)
    else schema = read
  }
  checkUnique(concepts)
  return { concepts, skipped, schema }
}
