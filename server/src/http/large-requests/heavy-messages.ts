import type { Config } from '../../config/config.ts'
import type { SentError } from '../../shared/threads/thread-rpc.ts'
import type { DatabaseAddress } from '../../storage/database-address.ts'
import type { HttpAnswer } from '../request/answers.ts'
import type { RequestParts } from '../request/read-request.ts'

// What the main thread and the one for heavy calls say to each other.

/** What the thread is started with. */
export type HeavyThreadData = { config: Config; address: DatabaseAddress; secret: string }

/** A reading of the node's clock, and of the processor's steady one at the same moment, which all threads share. */
export type ClockReading = { time: number; at: bigint }

export type HeavyCall = {
  endpoint: string
  requestId: string
  request: Omit<RequestParts, 'body' | 'arrival'>
  body: Uint8Array
  clock: ClockReading
}

/** What a call is answered; `ignoredFields` is told beside a refusal, too. */
export type HeavyAnswer = {
  ignoredFields: string | undefined
} /** `length` is that of the answer before it was compressed. */ & (
  | { answer: Omit<HttpAnswer, 'body'> & { body: Uint8Array; length: number } }
  | { refusal: SentError }
)
