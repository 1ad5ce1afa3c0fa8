import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import { validation } from '../../shared/errors.ts'
import type { BodyMemory, BodyPiece } from './body-memory.ts'
import { bodyTooLarge } from './errors.ts'
import { largeBytes } from './read-request.ts'

// Bodies arrive whole in memory, so that only so many bytes of them may be under way at once: on the node, of one
// organization and of one key. A body that says how long it is takes its share before a byte of it is read.

type TakeBytes = (bytes: number) => void

declare module 'fastify' {
  interface FastifyRequest {
    /** Takes a share of the bytes of bodies; undefined where nobody counts this request's. */
    takeBytes: TakeBytes | undefined
    /** Where a large body is put that another thread answers; undefined for memory of its own. */
    bodyMemory: BodyMemory | undefined
    /** The piece of it that the body is in, until the request is answered. */
    bodyPiece: BodyPiece | undefined
  }
}

/** Bodies up to this size are not counted: they are no more than what a connection holds anyway. */
const uncountedBytes = 16 * 1024
/** What is taken ahead for a body that does not say how long it is. */
const stepBytes = 256 * 1024

/** Takes the share of a request's body until the request is done with. Throws if there is none. */
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

/** Gives back the memory of what was read, which would wait for a collection of garbage, and be reason for one of everything. */
const free = ({ buffer, length }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/** What of a refused body is read at once, and how long to wait before each piece of what follows. */
const quickBytes = 256 * 1024
const pauseMilliseconds = 10

/**
 * Reads what is left of a body that is refused, because the connection must outlive the answer: slowly, so that whoever sends
 * megabytes in vain, over and over, keeps neither the processor nor the collector of garbage from others.
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
  // It was listened to before, and may have been told to pause.
  payload.resume()
}

/** Memory for a body that tells its length. */
const takeMemory = (request: FastifyRequest, length: number): Buffer => {
  if (!request.bodyMemory || length <= largeBytes) return Buffer.allocUnsafeSlow(length)
  request.bodyPiece = request.bodyMemory.take(length)
  return request.bodyPiece.bytes
}

/** The bytes of a body. Of one that tells its length, the memory is asked for once. */
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
