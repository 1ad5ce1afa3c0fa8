import { availableParallelism } from 'node:os'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { ErrorKind } from '@noema/contracts/error-status.ts'
import { ApiError, type ErrorExtras } from '../shared/errors.ts'
import { openThreads } from '../shared/threads/threads.ts'
import { type Body, bodyJson, readBody } from './body.ts'
import type { Ignored } from './parse.ts'
import { checkKeepable, type JsonSource, parseCounted } from './read-json.ts'

/** Reads JSON that came from outside: what is small at once, what is large on another thread, so that nobody waits for it. */
export type BodyReader = {
  /** The body of a call, as its endpoint declares it. Its bytes are used up. `isStrict`: what is not declared is refused. */
  read(endpoint: Endpoint, bytes: Buffer, from: { tenant: string; isStrict: boolean }): Promise<Body>
  /** Any JSON value; undefined where there is no text. `isKept`: refuses what a store cannot keep exactly. */
  parse(bytes: Buffer, tenant: string, how: { source: JsonSource; isKept: boolean }): Promise<unknown>
  close(): Promise<void>
}

/** What a thread is asked for: the body of an endpoint, or any JSON. */
export type BodyJob = {
  bytes: Uint8Array
  endpoint: string | undefined
  isStrict: boolean
  source: JsonSource
  isKept: boolean
}

/** What a thread answers: the value, as it is or as JSON, or what is wrong. */
export type BodyAnswer =
  | { value: unknown; ignored: Ignored }
  | { json: string; ignored: Ignored }
  | { error: { kind: ErrorKind; message: string; extras: ErrorExtras } }

/** From how many bytes on a body is large: it is read, and what works on the content of a Brain answered, on another thread. */
export const largeBytes = 128 * 1024
const maxThreads = 2

/** The name of an endpoint, by which threads tell each other. */
export const toEndpointName = ({ method, path }: Endpoint): string => `${method} ${path}`

const toBody = (answer: BodyAnswer): Body => {
  if ('error' in answer) throw new ApiError(answer.error.kind, answer.error.message, answer.error.extras)
  return { body: 'json' in answer ? JSON.parse(answer.json) : answer.value, ignored: answer.ignored }
}

/** Bytes that can be moved to another thread: those that share their memory with others are copied. */
const toOwned = (bytes: Buffer): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes)

export const openBodyReader = (): BodyReader => {
  const threads = openThreads<BodyJob, BodyAnswer>({
    entry: new URL('./body-thread-entry.ts', import.meta.url),
    name: 'bodies',
    count: Math.max(1, Math.min(maxThreads, availableParallelism() - 1)),
  })
  const readElsewhere = async (tenant: string, bytes: Uint8Array<ArrayBuffer>, job: Omit<BodyJob, 'bytes'>) =>
    toBody(await threads.run(tenant, { ...job, bytes }, [bytes.buffer]))
  return {
    read: async (endpoint, bytes, { tenant, isStrict }) => {
      if (bytes.length <= largeBytes) return readBody(endpoint, bytes, isStrict)
      const job = { endpoint: toEndpointName(endpoint), isStrict, source: bodyJson, isKept: true }
      return readElsewhere(tenant, toOwned(bytes), job)
    },
    parse: async (bytes, tenant, how) => {
      if (bytes.length > largeBytes) {
        const job = { endpoint: undefined, isStrict: false, ...how }
        return (await readElsewhere(tenant, new Uint8Array(bytes), job)).body
      }
      const { value } = parseCounted(bytes, how.source)
      if (how.isKept) checkKeepable(value, how.source.root)
      return value
    },
    close: threads.close,
  }
}
