import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { type CallInput, planCall } from './call.ts'
import { NoemaError } from './errors.ts'
import { fetchPlan, type Settings, startDeadline, toApiError } from './transport.ts'

/**
 * Calls an endpoint that answers NDJSON, and returns the bytes of its lines as they arrive. A failed call is not repeated.
 * Silence for `timeoutMs` during a read means a dead connection; cancelling the stream aborts the call.
 */
export const streamEndpoint = async (
  settings: Settings,
  endpoint: Endpoint,
  call: CallInput,
): Promise<ReadableStream<Uint8Array>> => {
  const plan = planCall(settings, endpoint, call)
  const deadline = startDeadline(settings, plan)
  const fail = (error: unknown): unknown => {
    const failure = error instanceof NoemaError ? error : deadline.failure(error)
    deadline.end()
    return failure
  }
  try {
    const response = await fetchPlan(settings, plan, deadline.signal)
    if (!response.ok) throw toApiError(response, await response.text(), settings.timing.now())
    const reader = response.body?.getReader()
    if (!reader) throw new NoemaError('The service responded without a body: is the base URL that of a Noema service?')
    // The time that the consumer takes is not the connection's silence.
    deadline.pause()
    return new ReadableStream<Uint8Array>({
      pull: async (stream) => {
        deadline.restart()
        const { value } = await reader.read().catch((error: unknown) => {
          throw fail(error)
        })
        deadline.pause()
        if (value) return stream.enqueue(value)
        deadline.end()
        stream.close()
      },
      cancel: () => deadline.end(),
    })
  } catch (error) {
    throw fail(error)
  }
}
