import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary, chooseEncoding, type Encoding } from './compression.ts'

// Static files that are kept in memory and sent with their security headers, entity tags and encodings.

/** The Content-Security-Policy of every page. A blob in a frame is a PDF that the page itself loaded; it inherits this policy. */
const policy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  'frame-src blob:',
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ')

const safety = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  // Browsers send no Origin with a GET to their own site, so the Referer validates the origin of a session (D-11b).
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

/** `cache-control` of a file that never changes. */
export const cacheForever = 'public, max-age=31536000, immutable'
/** `cache-control` of a file that browsers check before each use. */
export const revalidate = 'no-cache'

/** The bytes of a file, plain or compressed. Each encoding has its own entity tag. */
type Body = { body: Buffer; etag: string }
export type StaticFile = Body & { encoded: ReadonlyMap<Encoding, Body>; headers: Readonly<Record<string, string>> }

export const toBody = (body: Buffer): Body => ({
  body,
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
})

export const toStaticFile = (
  body: Buffer,
  contentType: string,
  cacheControl: string,
  encoded: StaticFile['encoded'] = new Map(),
): StaticFile => ({
  ...toBody(body),
  encoded,
  headers: {
    ...safety,
    'content-type': contentType,
    'cache-control': cacheControl,
  },
})

/** A text that clients check before each use, compressed once. */
export const toTextFile = (type: string, body: Buffer | string): StaticFile => {
  const bytes = Buffer.from(body)
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
  const encoded = new Map([
    ['br', toBody(brotli)],
    ['gzip', toBody(gzipSync(bytes))],
  ] as const)
  return toStaticFile(bytes, type, revalidate, encoded)
}

/** True if the caller has this version of a file already. */
export const isCurrent = ({ headers }: FastifyRequest, etag: string): boolean => {
  const given = headers['if-none-match']
  if (given === undefined) return false
  const etags = given.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return etags.includes(etag) || etags.includes('*')
}

/** The best encoding of a file that the client accepts. Sets the headers of the file. */
const chooseBody = (request: FastifyRequest, reply: FastifyReply, file: StaticFile) => {
  const encoding = chooseEncoding(request.headers['accept-encoding'], [...file.encoded.keys()])
  reply.headers(file.headers)
  if (file.encoded.size > 0) addVary(reply, 'accept-encoding')
  return { encoding, ...((encoding && file.encoded.get(encoding)) ?? { body: file.body, etag: file.etag }) }
}

const sendBody = (reply: FastifyReply, { encoding, body }: { encoding: Encoding | undefined; body: Buffer }) =>
  (encoding ? reply.header('content-encoding', encoding) : reply).send(body)

/** Sends a file in the best encoding that the client accepts, or 304 if the client has it. */
export const sendFile = (request: FastifyRequest, reply: FastifyReply, file: StaticFile) => {
  const chosen = chooseBody(request, reply, file)
  reply.header('etag', chosen.etag)
  return isCurrent(request, chosen.etag) ? reply.code(304).send() : sendBody(reply, chosen)
}

/** Sends a page as 404, which nothing stores. */
export const sendMissing = (request: FastifyRequest, reply: FastifyReply, file: StaticFile) => {
  const chosen = chooseBody(request, reply, file)
  addVary(reply, 'accept')
  return sendBody(reply.code(404).header('cache-control', 'no-store'), chosen)
}
