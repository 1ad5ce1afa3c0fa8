import type { Result } from '@noema/contracts/endpoint.ts'
import type { importBrain } from '@noema/contracts/exports.ts'
import { isObject } from '@noema/contracts/json.ts'
import { toAmount } from '../plural.ts'
import type { Session } from '../session/session.tsx'

// Exports and imports a whole Brain as a file. Both run in the background of the console.

type Progress = { done?: number; total?: number; text?: string }
type Reach = { signal: AbortSignal; report: (progress: Progress) => void }

/** The target of an export's lines: complete once it is closed, empty if it is aborted. */
export type Sink = {
  write: (bytes: Uint8Array) => Promise<void>
  close: () => Promise<void>
  abandon: () => Promise<void>
}

const lineFeed = 10

const countLines = (bytes: Uint8Array): number => {
  let count = 0
  for (const byte of bytes) if (byte === lineFeed) count++
  return count
}

/** The last line is short: the counts of what came before and a checksum. */
const maxTrailer = 2_000

/** Keeps the end of the stream, to check that the export is complete. */
const createTail = () => {
  let tail = ''
  const decoder = new TextDecoder()
  return {
    take: (bytes: Uint8Array) => {
      tail = (tail + decoder.decode(bytes.subarray(-maxTrailer), { stream: false })).slice(-maxTrailer)
    },
    isWhole: () => tail.trimEnd().split('\n').at(-1)?.startsWith('{"trailer":') === true,
  }
}

type Exporting = { handle: string; history: boolean; total: number | undefined; sink: Sink }

/** Writes an export line by line and returns the number of lines. */
export const exportTo = async (
  { client }: Session,
  { handle, history, total, sink }: Exporting,
  { signal, report }: Reach,
): Promise<number> => {
  const tail = createTail()
  let lines = 0
  try {
    const stream = await client.brain(handle).export(history ? { history } : {}, { signal })
    const reader = stream.getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      await sink.write(part.value)
      lines += countLines(part.value)
      tail.take(part.value)
      report({
        ...(total !== undefined && { done: Math.min(lines, total), total }),
        text: `${toAmount(lines)} lines`,
      })
    }
    if (!tail.isWhole()) throw new Error('The export stopped before its last line.')
    await sink.close()
    return lines
  } catch (error) {
    await sink.abandon().catch(() => undefined)
    if (signal.aborted) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${reason} No file was saved. Check that the service is reachable, then export again.`)
  }
}

/** A refusal of an import: the service's message, with the line that it concerns. */
export class ImportError extends Error {
  override name = 'ImportError'
  readonly code: string | undefined
  readonly details: readonly { path: string; message: string }[]
  readonly requestId: string | undefined
  /** The number of the refused line, from 1. */
  readonly line: number | undefined

  constructor(message: string, given: Partial<Pick<ImportError, 'code' | 'details' | 'requestId' | 'line'>> = {}) {
    super(message)
    this.code = given.code
    this.details = given.details ?? []
    this.requestId = given.requestId
    this.line = given.line
  }
}

const parse = (text: string): Record<string, unknown> => {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : {}
  } catch {
    return {}
  }
}

const toRefusal = (request: XMLHttpRequest): ImportError => {
  const { error } = parse(request.responseText)
  const { message, code } = isObject(error) ? error : {}
  const requestId = request.getResponseHeader('x-request-id') ?? undefined
  const reason = typeof message === 'string' ? message : `The service responded with ${request.status}.`
  const line = /^Line (\d+):/.exec(reason)?.[1]
  return new ImportError(reason, {
    requestId,
    ...(typeof code === 'string' && { code }),
    ...(line !== undefined && { line: Number(line) }),
  })
}

export type Imported = Result<typeof importBrain>['imported']

const isImported = (value: unknown): value is Imported => isObject(value) && typeof value.records === 'number'

const readImported = (request: XMLHttpRequest): Imported => {
  const { data } = parse(request.responseText)
  if (isObject(data) && isImported(data.imported)) return data.imported
  throw new ImportError('The service returned an unexpected response. Check whether the Brain has content.')
}

/**
 * Uploads an export file to an empty Brain. XMLHttpRequest is the only API that reports upload progress, and browsers cannot
 * stream a request body over HTTP/1.1.
 */
export const importFrom = (
  { organization }: Session,
  { handle, file }: { handle: string; file: File },
  { signal, report }: Reach,
): Promise<Imported> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/v1/brains/${encodeURIComponent(handle)}/import`)
    request.setRequestHeader('content-type', 'application/x-ndjson')
    request.setRequestHeader('x-organization-id', organization.id)
    request.upload.onprogress = ({ loaded, total }) => report({ done: loaded, total, text: 'Sending' })
    request.upload.onload = () => report({ done: file.size, total: file.size, text: 'Checking and writing' })
    request.onload = () => {
      try {
        if (request.status !== 200) return reject(toRefusal(request))
        resolve(readImported(request))
      } catch (error) {
        reject(error)
      }
    }
    request.onerror = () =>
      reject(
        new ImportError(
          'The connection closed before the service responded. An import is all or nothing: check that the service is reachable and the Brain is still empty, then drop the file again.',
        ),
      )
    request.onabort = () => reject(new DOMException('Cancelled.', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })

/** The part of a file that is searched for a refused line. */
const maxBytesSearched = 64 * 1024 * 1024

/** A line of a file by its number, truncated if it is long; undefined if it is too far into the file. */
export const readLine = async (file: File, number: number): Promise<string | undefined> => {
  const text = await file.slice(0, maxBytesSearched).text()
  let start = 0
  for (let line = 1; line < number; line++) {
    start = text.indexOf('\n', start) + 1
    if (start === 0) return undefined
  }
  const end = text.indexOf('\n', start)
  return text.slice(start, end === -1 ? undefined : end).slice(0, 1_000)
}
