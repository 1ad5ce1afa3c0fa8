import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { validation } from '../shared/errors.ts'
import type { Holder } from '../shared/shares.ts'
import { bodyTooLarge } from './errors.ts'

// Bodies arrive whole in memory, so that only so many bytes of them may be under way at once: on the node, of one
// organization and of one key. A body that says how long it is takes its share before a byte of it is read.

type TakeBytes = (bytes: number) => void

declare module 'fastify' {
  interface FastifyRequest {
    /** Takes a share of the bytes of bodies; undefined where nobody counts this request's. */
    takeBytes: TakeBytes | undefined
  }
}

/** Bodies up to this size are not counted: they are no more than what a connection holds anyway. */
const uncountedBytes = 16 * 1024
/** What is taken ahead for a body that does not say how long it is. */
const stepBytes = 256 * 1024

/** Takes the share of a request's body for its holder, until the request is done with. Throws where there is none. */
export const reserveBody = (
  { open }: Pick<AppDeps, 'open'>,
  holder: Holder,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): void => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && !(Number(length) > uncountedBytes)) return
  const shares: (() => void)[] = []
  const takeBytes: TakeBytes = (bytes) => void shares.push(open.take('bodies', holder, bytes))
  reply.raw.once('close', () => {
    for (const giveBack of shares) giveBack()
  })
  if (encoding !== undefined) request.takeBytes = takeBytes
  else if (Number(length) > request.routeOptions.bodyLimit) throw bodyTooLarge()
  else takeBytes(Number(length))
}

/** The bytes of a body. Of one that tells its length, the memory is asked for once. */
export const readBytes = (request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const limit = request.routeOptions.bodyLimit
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    const whole =
      encoding === undefined && length !== undefined
        ? Buffer.allocUnsafeSlow(Math.min(Number(length), limit))
        : undefined
    const chunks: Buffer[] = []
    let received = 0
    let taken = 0
    const fail = (error: unknown) => {
      payload.off('data', add).off('end', end)
      // Whatever else comes is let go of: the connection must outlive the answer.
      payload.resume()
      reject(error)
    }
    const add = (chunk: Buffer) => {
      if (received + chunk.length > limit) return fail(bodyTooLarge())
      if (whole) chunk.copy(whole, received)
      else chunks.push(chunk)
      received += chunk.length
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
