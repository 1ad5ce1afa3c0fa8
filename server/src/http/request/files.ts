import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FileBody, SentFile } from '../../api/binding.ts'
import { validation } from '../../shared/errors.ts'
import { freeBytes } from '../../shared/free-bytes.ts'
import { dropStalledReader } from '../streams/ndjson.ts'
import type { BytePace } from './byte-pace.ts'
import { isCurrent } from './static-files.ts'

// Files of callers, in and out. The service does not vouch for their content, so a browser only saves them: as an attachment, with the type
// that was sent and no other, and without scripts if a page shows one anyway.

const safety = {
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-cache',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-accel-buffering': 'no',
}

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** The name under which a browser saves a file (RFC 6266). */
const toDisposition = (path: string): string => {
  const name = path.split('/').at(-1) ?? ''
  const plain = name.replaceAll(/[^\w. -]/g, '_')
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encode(name)}`}`
}

type Range = { from: number; to: number }

/** The part that a Range header of one part asks for; undefined for the whole file, and `from` beyond its end for none. */
const readRange = (header: string, bytes: number): Range | undefined => {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim())
  const [, first = '', last = ''] = match ?? []
  if (!match || (first === '' && last === '')) return undefined
  if (first === '') return { from: last === '0' ? bytes : Math.max(0, bytes - Number(last)), to: bytes }
  if (last !== '' && Number(last) < Number(first)) return undefined
  return { from: Number(first), to: last === '' ? bytes : Math.min(Number(last) + 1, bytes) }
}

/** The requested part of a file. Throws 416 for a part beyond its end. */
const findRange = (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  bytes: number,
): Range | undefined => {
  const { range, 'if-range': ifRange } = headers
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined
  const found = readRange(range, bytes)
  if (!found || found.from < bytes) return found
  reply.header('content-range', `bytes */${bytes}`)
  throw validation(`The file has ${bytes} bytes. Ask for a range within them.`, { status: 416 })
}

/** Sends a file, or the requested part of it. */
export const sendFileBytes = (reply: FastifyReply, file: SentFile, pace: BytePace): FastifyReply => {
  const { request } = reply
  const { path, contentType, bytes, sha256, read } = file
  const etag = `"${sha256}"`
  reply.headers({ ...safety, etag })
  if (isCurrent(request, etag)) return reply.status(304).send()
  const part = findRange(request, reply, etag, bytes)
  const range = part ?? { from: 0, to: bytes }
  if (part) reply.status(206).header('content-range', `bytes ${part.from}-${part.to - 1}/${bytes}`)
  reply.headers({
    'content-type': contentType,
    'content-disposition': toDisposition(path),
    'content-length': range.to - range.from,
  })
  // A stream, because Fastify would count the bytes of anything else.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  dropStalledReader(reply)
  return reply.send(
    Readable.from(pace(request.subject, 'file', read(range)), { objectMode: false, highWaterMark: 64 * 1024 }),
  )
}

/** The pieces of a body. Each is valid until the next is read. */
async function* readPieces(body: Readable): AsyncGenerator<Buffer> {
  try {
    // The connection must outlive a refusal: it carries the answer.
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      yield piece
      freeBytes(piece)
    }
  } catch {
    throw validation('The file did not arrive whole. Send it again.')
  }
}

/** A body of any media type, as it comes. */
export const readFileBody = (
  { body, headers, subject }: Pick<FastifyRequest, 'body' | 'headers' | 'subject'>,
  maxBytes: number,
  pace: BytePace | undefined,
): FileBody => {
  const pieces = readPieces((body as Readable | undefined) ?? Readable.from([]))
  return {
    contentType: headers['content-type'] ?? 'application/octet-stream',
    length: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
    bytes: pace ? pace(subject, 'file', pieces) : pieces,
    maxBytes,
  }
}
