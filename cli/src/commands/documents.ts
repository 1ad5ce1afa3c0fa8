import { basename, extname } from 'node:path'
import type { BrainClient } from '@noema/sdk'
import { connectBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine, writeText } from '../output.ts'
import { parseExpiry, parseFields, parseListLimit, parseNumber, readInput } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { writeOutcome } from './write-outcome.ts'

type Documents = BrainClient['documents']
type BrainDocument = Awaited<ReturnType<Documents['list']>>['documents'][number]

type Shared = GlobalOptions & { brain?: string; key?: string; ifMatch?: string }
type PutOptions = Shared & { id?: string; title?: string; contentType?: string; meta?: string[]; expires?: string }

const columns: Column<BrainDocument>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'LENGTH', value: ({ length }) => length },
  { title: 'UPDATED', value: ({ updatedAt }) => updatedAt },
  { title: 'TITLE', value: ({ title }) => title, shrinks: true },
]

/** Lists the current documents of a Brain, or the versions of one. */
export const listDocuments = async (
  context: Context,
  options: Shared & { source?: string; asOf?: string; limit?: string; versions?: string },
): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const { documents } = connectBrain(context, options).brain
  const { signal } = context
  const asOf = parseNumber(options.asOf, '--as-of')
  const list =
    options.versions === undefined
      ? documents.list({ source: options.source, asOf, limit: page }, { signal })
      : documents.versions(options.versions, { limit: page }, { signal })
  await writeList(context, options, { ...{ list, columns, limit }, none: 'There is no such document.' })
  return exitCodes.ok
}

/** Prints the text of a document; with `--json` the document with its text. */
export const showDocument = async (
  context: Context,
  id: string,
  options: Shared & { asOf?: string; docVersion?: string },
): Promise<number> => {
  const { stdout, stderr, signal } = context
  const query = {
    asOf: parseNumber(options.asOf, '--as-of'),
    version: parseNumber(options.docVersion, '--doc-version'),
  }
  const { document } = await connectBrain(context, options).brain.documents.get(id, query, { signal })
  if (options.json) {
    await writeJson(stdout, document)
    return exitCodes.ok
  }
  const { version, title, status, text } = document
  if (stdout.isTTY) await writeLine(stderr, `${title ?? id}  version ${version}, ${status}`)
  await writeText(stdout, text.endsWith('\n') ? text : `${text}\n`)
  return exitCodes.ok
}

const contentTypes: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.mdx': 'text/markdown',
  '.markdown': 'text/markdown',
}

/** Writes a file, or standard input, as a document: a new one, or a new version of the one with this id. */
export const putDocument = async (context: Context, file: string, options: PutOptions): Promise<number> => {
  const text = await readInput(context, file)
  const { brain, handle } = connectBrain(context, options)
  const name = file === '-' ? undefined : basename(file)
  const { id = name, title, meta, contentType = contentTypes[extname(file).toLowerCase()] } = options
  const body = {
    text,
    ...(title === undefined ? {} : { title }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(options.expires === undefined ? {} : { expiresAt: parseExpiry(options.expires) }),
    ...(meta === undefined ? {} : { metadata: parseFields(meta) as NonNullable<BrainDocument['metadata']> }),
  }
  const ifMatch = parseNumber(options.ifMatch, '--if-match')
  const call = { signal: context.signal, idempotencyKey: options.key, ifMatch }
  const { documents } = brain
  const answer = await (id === undefined ? documents.create(body, call) : documents.put(id, body, call))
  await writeOutcome(context, options, { answer, id: answer.document.id, brain: handle })
  return exitCodes.ok
}

/** Retires a document: it is no longer found or listed, and its versions can still be read. */
export const deleteDocument = async (context: Context, id: string, options: Shared): Promise<number> => {
  const { brain, handle } = connectBrain(context, options)
  const ifMatch = parseNumber(options.ifMatch, '--if-match')
  const call = { signal: context.signal, idempotencyKey: options.key, ifMatch }
  const answer = await brain.documents.retire(id, call)
  await writeOutcome(context, options, { answer, id, brain: handle })
  return exitCodes.ok
}
