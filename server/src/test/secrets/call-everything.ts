import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { TestApp } from '../app.ts'
import { endpointRows, inAimedOrder } from '../endpoints/all.ts'
import type { Aimed } from '../endpoints/row.ts'
import { fillPath } from '../sample-calls.ts'
import { createSender } from '../send.ts'
import { findSecrets, type Planted } from './plant.ts'

/** Sends an aimed call and returns the whole response as text, headers included. */
const sendAimed = async (
  send: ReturnType<typeof createSender>,
  endpoint: Endpoint,
  brain: Planted,
  { headers, aimed }: { headers: Record<string, string>; aimed: Aimed },
) => {
  const { params, query, body } = aimed
  const path = fillPath(endpoint.path, { handle: brain.brain.handle, ...params })
  const answer = await send(path + (query ? `?${new URLSearchParams(query)}` : ''), {
    method: endpoint.method,
    headers: {
      accept: endpoint.jsonRpc ? 'application/json, text/event-stream' : 'application/json',
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(endpoint.ndjson === 'body' ? { 'content-type': 'application/x-ndjson' } : {}),
      ...headers,
    },
    body: body ? JSON.stringify(body) : endpoint.ndjson === 'body' ? '{}\n' : undefined,
  })
  return { status: answer.status, text: JSON.stringify([...answer.headers]) + answer.text }
}

/** The secrets in a call's answer. */
export type Reported = { name: string; status: number; secrets: string[] }

/** Finds the secrets of an answer, without those in the call: the answer may repeat them to their sender. */
export const findReported = (text: string, sent: object): string[] => {
  const own = findSecrets(JSON.stringify(sent))
  return findSecrets(text).filter((secret) => !own.includes(secret))
}

/** Makes the aimed calls of every endpoint, except of those that are left out by name. */
export const callEverything = async (
  app: Pick<TestApp, 'base'>,
  brain: Planted,
  headers: Record<string, string>,
  leftOut: readonly string[] = [],
): Promise<Reported[]> => {
  const send = createSender(app.base)
  const reported: Reported[] = []
  for (const { name, endpoint } of inAimedOrder) {
    if (leftOut.includes(name)) continue
    for (const aimed of endpointRows[name].aimed(brain)) {
      const { status, text } = await sendAimed(send, endpoint, brain, { headers, aimed })
      reported.push({ name, status, secrets: findReported(text, aimed) })
    }
  }
  return reported
}
