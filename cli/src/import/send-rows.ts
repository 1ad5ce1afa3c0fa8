import { createHash } from 'node:crypto'
import type { BrainClient } from '@noema/sdk'
import { ConflictError, ValidationError } from '@noema/sdk/errors.ts'
import type { Row } from './read-rows.ts'

type Operation = Parameters<BrainClient['batch']>[0]['operations'][number]

/** A row as the write of a record, or as one that cannot be written. */
export type Prepared = { line: number; text: string } & ({ operation: Operation } | { reason: string })

export type Naming = { kind: string; file: string; slug: string | undefined; id: string | undefined }

/** The most of one batch. */
const maxRows = 500
const maxBytes = 4 * 1024 * 1024

const hash = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 24)

const toName = (fields: Record<string, unknown>, name: string): string => {
  const value = fields[name]
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`The row has no ${name}.`)
  return String(value)
}

/** A slug has lower case letters, digits and a few signs. */
const toSlug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')

/**
 * The write of a row. Its record's id follows from the row: from the field that names it, or from its place and content. So a
 * repeat writes the same records.
 */
export const prepareRow = (row: Row, { kind, file, slug, id }: Naming): Prepared => {
  const { line, text } = row
  if ('reason' in row) return row
  try {
    const { fields } = row
    const named = slug === undefined ? undefined : toName(fields, slug)
    const own = id === undefined ? `${kind}:${named ?? hash(file, String(line), text)}` : toName(fields, id)
    const operation = {
      op: 'record.put',
      id: own,
      kind,
      fields,
      ...(named === undefined ? {} : { slug: toSlug(named) }),
    }
    return { line, text, operation: operation as Operation }
  } catch (error) {
    return { line, text, reason: error instanceof Error ? error.message : String(error) }
  }
}

/** Gathers rows into batches of limited size. */
export async function* toBatches(rows: AsyncIterable<Prepared>): AsyncGenerator<Prepared[]> {
  let batch: Prepared[] = []
  let bytes = 0
  for await (const row of rows) {
    batch.push(row)
    bytes += row.text.length
    if (batch.length < maxRows && bytes < maxBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

type Sendable = Extract<Prepared, { operation: Operation }>
export type Rejected = { line: number; reason: string; row: string }
/** `attempt` identifies the import, also after an interruption. */
type Sending = { attempt: string; signal: AbortSignal }
export type Sent = { written: number; unchanged: number; staged: number; rejected: Rejected[] }

const reject = ({ line, text }: Prepared, reason: string): Rejected => ({ line, reason, row: text })

/** The operations that a refusal is about, each with the reason. */
const findFaults = (error: ValidationError | ConflictError): Map<number, string> => {
  const found = new Map<number, string>()
  const texts = [...error.details.map(({ path, message }) => `${path}: ${message}`), error.message]
  for (const text of texts) {
    const [, index] = /operations\.(\d+)/.exec(text) ?? []
    if (index !== undefined && !found.has(Number(index))) found.set(Number(index), text)
  }
  return found
}

/**
 * Sends rows as one change. The service refuses a batch as a whole: the rows that it names are left out, and where it names none
 * the batch is sent in halves, so that every row that can be written is.
 */
const sendBatch = async (
  brain: BrainClient,
  rows: readonly Sendable[],
  { attempt, signal }: Sending,
): Promise<Sent> => {
  if (rows.length === 0) return { written: 0, unchanged: 0, staged: 0, rejected: [] }
  const operations = rows.map(({ operation }) => operation)
  // The key follows from the import, the place in the file and the content: a batch that is sent again after an interruption is
  // answered as before, and another import of the file finds what has changed since.
  const idempotencyKey = `import-${hash(attempt, String(rows[0]?.line), JSON.stringify(operations))}`
  try {
    const { outcome, results } = await brain.batch({ operations }, { signal, idempotencyKey, maxRetries: 10 })
    const written = results.filter(({ changed }) => changed !== false).length
    return { written, unchanged: rows.length - written, staged: outcome === 'staged' ? rows.length : 0, rejected: [] }
  } catch (error) {
    if (!(error instanceof ValidationError || error instanceof ConflictError)) throw error
    return sendRest(brain, { rows, error, sending: { attempt, signal } })
  }
}

const merge = (one: Sent, other: Sent): Sent => ({
  written: one.written + other.written,
  unchanged: one.unchanged + other.unchanged,
  staged: one.staged + other.staged,
  rejected: [...one.rejected, ...other.rejected],
})

const sendRest = async (
  brain: BrainClient,
  { rows, error, sending }: { rows: readonly Sendable[]; error: ValidationError | ConflictError; sending: Sending },
): Promise<Sent> => {
  const [only] = rows
  if (only && rows.length === 1) {
    const reason = error.message.replace(/^body\.operations\.0\.?/, '')
    return { written: 0, unchanged: 0, staged: 0, rejected: [reject(only, reason)] }
  }
  const faults = findFaults(error)
  const named = rows.flatMap((row, index) => {
    const reason = faults.get(index)
    return reason === undefined ? [] : [reject(row, reason.replace(/^body\.operations\.\d+\.?/, ''))]
  })
  if (named.length > 0) {
    const rest = rows.filter((_row, index) => !faults.has(index))
    return merge({ written: 0, unchanged: 0, staged: 0, rejected: named }, await sendBatch(brain, rest, sending))
  }
  const half = Math.ceil(rows.length / 2)
  const first = await sendBatch(brain, rows.slice(0, half), sending)
  return merge(first, await sendBatch(brain, rows.slice(half), sending))
}

/** Sends a batch of rows; those that cannot be written come back with the reason, in the order of the file. */
export const sendRows = async (brain: BrainClient, rows: readonly Prepared[], sending: Sending): Promise<Sent> => {
  const unreadable = rows.flatMap((row) => ('reason' in row ? [reject(row, row.reason)] : []))
  const sent = await sendBatch(
    brain,
    rows.filter((row): row is Sendable => 'operation' in row),
    sending,
  )
  const rejected = [...unreadable, ...sent.rejected].toSorted((one, other) => one.line - other.line)
  return { ...sent, rejected }
}
