import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import { validation } from '../../shared/errors.ts'
import type { BodyMemory, BodyPiece } from './body-memory.ts'
import { bodyTooLarge } from './errors.ts'
import { largeBytes } from './read-request.ts'

// Bodies are held whole in memory, so their bytes are limited: on the node, for each organization and for each key. A body with a
// Content-Length takes its share before any of it is read.

type TakeBytes = (bytes: number) => void

declare module 'fastify' {
  interface FastifyRequest {
    /** Takes a share of the bytes of bodies; undefined if this request's are not counted. */
    takeBytes: TakeBytes | undefined
    /** The piece of that memory that holds the body, until the request is answered. */
    bodyPiece: BodyPiece | undefined
  }
  interface FastifyContextConfig {
    /** Memory for large bodies that another thread answers; undefined for ordinary memory. */
    bodyMemory?: BodyMemory
  }
}

/** Bodies up to this size are not counted: a connection holds as much anyway. */
const uncountedBytes = 16 * 1024
/** A body without a Content-Length takes memory in steps of this size. */
const stepBytes = 256 * 1024

/** Takes the share of a request's body until the request is finished. Throws if there is no share left. */
export const reserveBody = ({ open }: Pick<AppDeps, 'open'>, request: FastifyRequest, reply: FastifyReply): void => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && !(Number(length) > uncountedBytes)) return
  const shares: (() => void)[] = []
  const takeBytes: TakeBytes = (bytes) => void shares.push(open.take('bodies', request.subject, bytes))
  reply.raw.once('close', () => {
    for (const giveBack of shares) giveBack()
  })
  if (encoding !== undefined) request.takeBytes = takeBytes
  else if (Number(length) > request.routeOptions.bodyLimit) throw bodyTooLarge()
  else takeBytes(Number(length))
}

/** Frees the memory of a chunk at once. Otherwise it would wait for the garbage collector, and cause a full collection. */
const free = ({ buffer, length }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/** This much of a refused body is read at once, and the pause before each further piece. */
const quickBytes = 256 * 1024
const pauseMilliseconds = 10

/**
 * Reads the rest of a refused body, because the connection must outlive the answer. It reads slowly, so that a caller that keeps
 * sending megabytes in vain does not take the processor from others.
 */
export const letGo = (payload: NodeJS.ReadableStream): void => {
  let read = 0
  payload.on('data', (chunk: Buffer) => {
    read += chunk.length
    free(chunk)
    if (read <= quickBytes) return
    payload.pause()
    setTimeout(() => payload.resume(), pauseMilliseconds)
  })
  // It may have been paused before.
  payload.resume()
}

/** Memory for a body with a Content-Length. */
const takeMemory = (request: FastifyRequest, length: number): Buffer => {
  const { bodyMemory } = request.routeOptions.config
  if (!bodyMemory || length <= largeBytes) return Buffer.allocUnsafeSlow(length)
  request.bodyPiece = bodyMemory.take(length)
  return request.bodyPiece.bytes
}

/** Reads the bytes of a body. With a Content-Length, its memory is allocated once. */
export const readBytes = (request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const limit = request.routeOptions.bodyLimit
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    const whole =
      encoding === undefined && length !== undefined ? takeMemory(request, Math.min(Number(length), limit)) : undefined
    const chunks: Buffer[] = []
    let received = 0
    let taken = 0
    const fail = (error: unknown) => {
      payload.off('data', add).off('end', end)
      letGo(payload)
      request.bodyPiece?.giveBack()
      reject(error)
    }
    const add = (chunk: Buffer) => {
      if (received + chunk.length > limit) return fail(bodyTooLarge())
      const { length } = chunk
      if (whole) {
        chunk.copy(whole, received)
        free(chunk)
      } else chunks.push(chunk)
      received += length
      if (received <= taken || !request.takeBytes) return
      try {
        request.takeBytes(stepBytes)
        request.countBytes?.(stepBytes)
        taken += stepBytes
      } catch (error) {
        fail(error)
      }
    }
    const end = () => resolve(whole ?? Buffer.concat(chunks, received))
    const broken = () => fail(validation('The body did not arrive whole. Send the request again.'))
    payload.on('data', add).once('end', end).once('error', broken)
  })
