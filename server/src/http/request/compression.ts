import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

// Answers are compressed by an encoding that the caller accepts. zlib runs in threads of its own, so the event loop continues. The
// levels save most bytes for their time. Each route declares whether its answers may be compressed: those with a secret must not
// be, because their length would leak it (BREACH).

declare module 'fastify' {
  interface FastifyContextConfig {
    isCompressible?: boolean
  }
}

/** The supported encodings, the preferred one first. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** The weight of an encoding, as an item of Accept-Encoding gives it (RFC 9110, 12.5.3). */
const toWeight = (item: string): [name: string, weight: number] => {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return [name, weight === undefined ? 1 : Number(weight) || 0]
}

/** The available encoding that a caller prefers; undefined if it prefers the plain text. */
export const chooseEncoding = (
  header: string | string[] | undefined,
  available: readonly Encoding[] = encodings,
): Encoding | undefined => {
  if (header === undefined) return undefined
  const weights = new Map(String(header).split(',').map(toWeight))
  const weigh = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0
  const best = available.reduce<Encoding | undefined>(
    (found, name) => (weigh(name) > (found === undefined ? 0 : weigh(found)) ? name : found),
    undefined,
  )
  return best !== undefined && weigh(best) >= (weights.get('identity') ?? 0) ? best : undefined
}

/** Tells caches that an answer depends on a header of its request. */
export const addVary = (reply: FastifyReply, name: string): void => {
  const given = reply.getHeader('vary')
  reply.header('vary', given === undefined ? name : `${given}, ${name}`)
}

/** Shorter answers fit into one packet anyway. */
const minBytes = 1024

const chunkSize = 64 * 1024
const brotli = { chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 } }
const deflate = { chunkSize, level: 5 }
const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) }

const compressText = (text: string | Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br' ? compress.br(text, brotli) : compress.gzip(text, deflate)

/** Compresses on the calling thread, where no one else waits for it; undefined if the caller wants the plain text. */
export const compressHere = (
  bytes: Buffer,
  accepted: string | string[] | undefined,
): { encoding: Encoding; bytes: Buffer } | undefined => {
  const encoding = bytes.length < minBytes ? undefined : chooseEncoding(accepted)
  if (encoding === undefined) return undefined
  return { encoding, bytes: encoding === 'br' ? brotliCompressSync(bytes, brotli) : gzipSync(bytes, deflate) }
}

/** Pipes a stream through a compressor. If either ends early, so does the other. */
const compressStream = (stream: Readable, encoding: Encoding): Readable =>
  pipeline(stream, encoding === 'br' ? createBrotliCompress(brotli) : createGzip(deflate), () => {})

const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream')

/** The payload to send. Event streams are not compressed, because each event must leave at once. */
const toSent = (request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown => {
  const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
  if (!isText && (!(payload instanceof Readable) || isEventStream(reply))) return payload
  if (reply.hasHeader('content-encoding')) return payload
  addVary(reply, 'accept-encoding')
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  // A text has at least as many bytes as characters, so those of a long one are not counted.
  if (encoding === undefined || (isText && payload.length < minBytes && Buffer.byteLength(payload) < minBytes))
    return payload
  reply.header('content-encoding', encoding).removeHeader('content-length')
  return isText ? compressText(payload, encoding) : compressStream(payload, encoding)
}

/** Compresses the answers of routes that allow it. */
export const registerCompression = (app: FastifyInstance): void => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const sent = request.routeOptions.config.isCompressible ? toSent(request, reply, payload) : payload
    if (sent instanceof Promise) sent.then((compressed) => done(null, compressed), done)
    else done(null, sent)
  })
}
