import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../../config/config.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import { isPassing, toReason } from '../../../shared/outbound/exchange.ts'
import { fetchOperator } from '../../../shared/outbound/operator-endpoint.ts'

// The store of objects that the operator chose: any server with the API of S3. Each call moves one small object, has a time limit and
// can be repeated, so a slow sender or reader of a file never holds a connection to the store.

/** A call to the store failed, or there is no store. Callers get the message, the log and the operator get the reason. */
export class StoreFailed extends ApiError {
  readonly reason: string
  constructor(reason: string) {
    super('unavailable', 'The store of files does not respond as it should. Try again later, or tell the operator.', {
      retryAfterSeconds: 5,
    })
    this.reason = reason
  }
}

/** Bytes of an object, from the first to before the last. */
type Range = { from: number; to: number }

export type ObjectStore = {
  /** True if new files belong into the store. Otherwise every call throws. */
  isOpen: boolean
  /** Stores an object. True if the store keeps versions of objects, so that a deletion would not erase its bytes. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean>
  /** A part of an object; undefined if there is no such object. */
  get(key: string, range: Range): Promise<Buffer | undefined>
  /** Deletes an object, if it is there. `isWaitedFor`: a request waits for it, so it has less time. */
  delete(key: string, given?: { isWaitedFor: boolean }): Promise<void>
}

/** The pauses before a call is repeated. */
const pauses = [100, 400]
/** The seconds for a deletion that a request waits for. A worker repeats it with more time. */
const waitedSeconds = 3

const toCause = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? error.cause : error
}

/** The status and the code of an answer that is an error. */
type Refusal = { status: number; code: string }

const findRefusal = (error: unknown): Refusal | undefined => {
  if (!(error instanceof Error && 'status' in error && typeof error.status === 'number')) return undefined
  const body = 'body' in error && typeof error.body === 'string' ? error.body : ''
  return { status: error.status, code: /<Code>(\w{1,100})<\/Code>/.exec(body)?.[1] ?? '' }
}

const explain = (error: unknown, seconds: number): string => {
  const refusal = findRefusal(error)
  if (refusal) return `It answered ${refusal.status}${refusal.code && ` (${refusal.code})`}.`
  const cause = toCause(error)
  return cause.name === 'TimeoutError' ? `There was no answer within ${seconds} seconds.` : toReason(cause)
}

const isWorthRepeating = (error: unknown): boolean => {
  const refusal = findRefusal(error)
  return refusal ? refusal.status >= 500 || refusal.status === 429 : isPassing(toCause(error))
}

const withRetries = async <Result>(seconds: number, call: () => Promise<Result>): Promise<Result> => {
  for (let failures = 0; ; failures++)
    try {
      return await call()
    } catch (error) {
      if (error instanceof StoreFailed) throw error
      const pause = pauses[failures]
      if (pause === undefined || !isWorthRepeating(error)) throw new StoreFailed(explain(error, seconds))
      await delay(pause)
    }
}

const isMissing = (error: unknown): boolean => {
  const refusal = findRefusal(error)
  return refusal?.status === 404 && refusal.code !== 'NoSuchBucket'
}

const refuse = () =>
  Promise.reject(new StoreFailed('NOEMA_ARTIFACT_S3_URL is not set, but the bytes of some files are in its store.'))

const missingStore: ObjectStore = { isOpen: false, put: refuse, get: refuse, delete: refuse }

/** Opens the store of these settings. It calls nothing yet, and loads no code where there is no store. */
export const openObjectStore = async (settings: Config['artifactStore']): Promise<ObjectStore> => {
  if (!settings) return missingStore
  const { S3mini } = await import('s3mini')
  const { url, seconds, ...access } = settings
  const open = (limit: number) =>
    new S3mini({ ...access, endpoint: url, fetch: fetchOperator, requestAbortTimeout: limit * 1000 })
  const [client, hurried] = [open(seconds), open(Math.min(seconds, waitedSeconds))]
  return {
    isOpen: true,
    put: (key, bytes) =>
      withRetries(seconds, async () => {
        const response = await client.putObject(key, bytes)
        await response.body?.cancel()
        return !['null', null].includes(response.headers.get('x-amz-version-id'))
      }),
    get: (key, { from, to }) =>
      withRetries(seconds, async () => {
        try {
          const response = await client.getObjectRaw(key, false, from, to)
          // A server may answer more than it was asked for.
          const start = response.status === 206 ? from : 0
          const bytes = Buffer.from(await response.arrayBuffer()).subarray(from - start, to - start)
          if (bytes.length !== to - from) throw new StoreFailed(`${key} has not the bytes that were written.`)
          return bytes
        } catch (error) {
          if (isMissing(error)) return undefined
          throw error
        }
      }),
    delete: (key, { isWaitedFor } = { isWaitedFor: false }) =>
      withRetries(seconds, async () => {
        try {
          await (isWaitedFor ? hurried : client).deleteObject(key)
        } catch (error) {
          if (!isMissing(error)) throw error
        }
      }),
  }
}

/** A store that logs why its calls fail, and once that its bucket keeps versions. */
export const withLog = (store: ObjectStore, log: Log): ObjectStore => {
  let isWarned = false
  const logged = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call
    } catch (error) {
      if (error instanceof StoreFailed) log.warn({ reason: error.reason }, 'the store of files failed')
      throw error
    }
  }
  return {
    isOpen: store.isOpen,
    put: async (key, bytes) => {
      const keepsVersions = await logged(store.put(key, bytes))
      if (keepsVersions && !isWarned)
        log.warn('the bucket of files keeps versions, so that deletions do not erase their bytes: see docs/files.md')
      isWarned ||= keepsVersions
      return keepsVersions
    },
    get: (key, range) => logged(store.get(key, range)),
    delete: (key, given) => logged(store.delete(key, given)),
  }
}
