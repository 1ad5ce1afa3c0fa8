import type { Readable } from 'node:stream'
import { maxLineLength } from '@noema/contracts/exports.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSource } from '../../api/read-json.ts'
import type { Line } from '../../features/writing/transfers/types.ts'
import { ApiError, refuseAt, validation } from '../../shared/errors.ts'

// Bodies and answers of unlimited length travel as NDJSON, one line at a time, so that none is ever whole in memory.

/** Content is nested a few levels deeper in a line than in the body of a write. */
const lineJson = { what: 'this', root: [], maxDepth: 80 }
const lineFeed = 0x0a

/** The lines of a stream as bytes, without their line feeds. A last line may lack its own. */
async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      parts.push(chunk.subarray(start, end))
      yield parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      parts = []
      length = 0
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
    length += chunk.length - start
    if (length > maxLineLength) throw validation('it is longer than 32 MiB, the maximum for a line.')
  }
  if (parts.length > 0) yield Buffer.concat(parts)
}

const atLine = (number: number, error: unknown): unknown => {
  if (!(error instanceof ApiError)) return error
  const message = error.at === undefined ? error.message : `${error.at.join('.')}: ${error.message}`
  return validation(`Line ${number}: ${message}`, { details: [{ path: ['line', number], message, line: number }] })
}

/** The lines of an NDJSON body, each parsed as other bodies are. */
export async function* readLines(
  pieces: AsyncIterable<Buffer>,
  parse: (bytes: Buffer, source: JsonSource) => Promise<unknown>,
): AsyncGenerator<Line> {
  let number = 1
  try {
    for await (const bytes of splitLines(pieces)) {
      const value = await parse(bytes, lineJson)
      if (value === undefined) throw validation('it is empty; an export has no empty lines.')
      yield { number, bytes, value }
      number++
    }
  } catch (error) {
    throw atLine(number, error)
  }
}

/** The stream of an NDJSON body. */
export const ndjsonBody = ({ body, headers }: Pick<FastifyRequest, 'body' | 'headers'>): Readable => {
  const isStream = headers['content-type']?.startsWith('application/x-ndjson')
  if (!isStream || !body) throw refuseAt(['Content-Type'], 'Send the body as content-type: application/x-ndjson.')
  return body as Readable
}

const drainMilliseconds = 10_000

/** Discards the rest of a body, for a while: some senders read the answer only after they have sent everything. */
export const drainBody = ({ raw }: FastifyRequest): void => {
  if (raw.readableEnded || raw.destroyed) return
  const timer = setTimeout(() => raw.destroy(), drainMilliseconds).unref()
  raw.once('close', () => clearTimeout(timer))
  raw.once('end', () => clearTimeout(timer))
  raw.resume()
}

const stalledMilliseconds = 120_000

/** Closes a connection whose reader takes nothing of the answer, so that its memory is freed. */
export const dropStalledReader = (reply: FastifyReply): void => {
  reply.raw.setTimeout(stalledMilliseconds, () => reply.raw.destroy())
}
