import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { Ignored } from '../../api/parse.ts'
import type { JsonSource } from '../../api/read-json.ts'
import type { Config } from '../../config/config.ts'
import type { SentError } from '../../shared/threads/thread-rpc.ts'
import type { DatabaseAddress } from '../../storage/database-address.ts'
import type { HttpAnswer } from '../request/answers.ts'
import type { RequestParts } from '../request/read-request.ts'

// The messages between the main thread and the worker for large requests.

/** The data that the worker starts with. */
export type WorkerData = { config: Config; address: DatabaseAddress; secret: string; isDivided: boolean }

/** A reading of the node's clock, and of the processor's steady one at the same moment, which all threads share. */
export type ClockReading = { time: number; at: bigint }

/** The name of an endpoint, by which threads refer to it. */
export const toEndpointName = ({ method, path }: Endpoint): string => `${method} ${path}`

/** A request to be answered. */
export type LargeCall = {
  endpoint: string
  requestId: string
  request: Omit<RequestParts, 'body' | 'arrival'>
  isStrict: boolean
  body: Uint8Array
  clock: ClockReading
}

/** The answer of a call; a refusal has `ignoredFields`, too. */
export type LargeAnswer = {
  ignoredFields: string | undefined
} /** `length` is that of the answer before it was compressed. */ & (
  | { answer: Omit<HttpAnswer, 'body'> & { body: Uint8Array; length: number } }
  | { refusal: SentError }
)

/** A text to be read: the body of an endpoint, or any JSON. `isKept`: refuses what a store cannot keep exactly. */
export type ReadJob = {
  bytes: Uint8Array
  endpoint: string | undefined
  isStrict: boolean
  source: JsonSource
  isKept: boolean
}

/** The value of a body, as it is or as JSON. */
export type ReadResult = { ignored: Ignored } & ({ value: unknown } | { json: string })
