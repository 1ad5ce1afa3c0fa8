import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { Answer, Outcome, ProtocolAnswer } from '../../api/binding.ts'

// What an operation answered, as HTTP sends it.

export type HttpAnswer = { status: number; headers: Record<string, string>; body: string }

/** Whether answers of an endpoint may be compressed: not those with a secret in them, whose length would tell of it. */
export const isCompressible = ({ result }: Endpoint): boolean =>
  !('shape' in result && 'secret' in (result.shape as object))

const outcomeStatus = { done: 200, created: 201, staged: 202 } as const satisfies Record<Outcome, number>

const toJsonAnswer = (endpoint: Endpoint, answer: Answer): HttpAnswer => ({
  status: answer.outcome === undefined ? endpoint.status[0] : outcomeStatus[answer.outcome],
  headers: {
    ...(answer.replayed ? { 'idempotent-replayed': 'true' } : {}),
    'content-type': 'application/json; charset=utf-8',
  },
  body: `{"data":${'json' in answer ? answer.json : JSON.stringify(answer.data)}}`,
})

/** The answer of an operation; one of a protocol of its own is sent as it is. */
export const toHttpAnswer = async (endpoint: Endpoint, answer: Answer | ProtocolAnswer): Promise<HttpAnswer> => {
  if (!('response' in answer)) return toJsonAnswer(endpoint, answer)
  const { status, headers } = answer.response
  return { status, headers: Object.fromEntries(headers), body: await answer.response.text() }
}
