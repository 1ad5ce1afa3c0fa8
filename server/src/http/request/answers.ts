import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { Answer, Outcome, ProtocolAnswer } from '../../api/binding.ts'

// Turns the answer of an operation into an HTTP answer.

export type HttpAnswer = { status: number; headers: Readonly<Record<string, string>>; body: string }

/** True if answers of an endpoint may be compressed. Those with a secret may not, because their length would leak it. */
export const isCompressible = ({ result, file }: Endpoint): boolean =>
  file !== 'answer' && !('shape' in result && 'secret' in (result.shape as object))

const outcomeStatus = { done: 200, created: 201, staged: 202 } as const satisfies Record<Outcome, number>

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }
const replayedHeaders = { 'idempotent-replayed': 'true', ...jsonHeaders }

const toBody = ({ openai }: Endpoint, data: string): string => (openai ? data : `{"data":${data}}`)

const toJsonAnswer = (endpoint: Endpoint, answer: Answer): HttpAnswer => ({
  status: answer.outcome === undefined ? endpoint.status[0] : outcomeStatus[answer.outcome],
  headers: answer.replayed ? replayedHeaders : jsonHeaders,
  body: toBody(endpoint, 'json' in answer ? answer.json : JSON.stringify(answer.data)),
})

const toPassedAnswer = async ({ response }: ProtocolAnswer): Promise<HttpAnswer> => {
  const { status, headers } = response
  return { status, headers: Object.fromEntries(headers), body: await response.text() }
}

/** The answer of an operation; one of another protocol is sent as it is. */
export const toHttpAnswer = (endpoint: Endpoint, answer: Answer | ProtocolAnswer): HttpAnswer | Promise<HttpAnswer> =>
  'response' in answer ? toPassedAnswer(answer) : toJsonAnswer(endpoint, answer)
