import { isObject } from '@noema/contracts/json.ts'
import type { BrainOrigin } from './brain-origins.ts'
import { fillPath } from './call.ts'
import { NoemaError } from './errors.ts'
import { readMessages } from './sse.ts'
import { send } from './transport.ts'

type Data = Record<string, unknown>

// The server may answer a message as JSON, or as a stream with one message in it.
const parseAnswer = async (text: string): Promise<Data> => {
  const pieces = [new TextEncoder().encode(text)]
  let json = text.trimStart().startsWith('{') ? text : undefined
  if (json === undefined) for await (const { data } of readMessages(async () => pieces.shift())) json = data ?? json
  const message: unknown = JSON.parse(json ?? '')
  if (isObject(message) && isObject(message.result)) return message.result
  const reason = isObject(message) && isObject(message.error) ? String(message.error.message) : 'it is no answer'
  throw new NoemaError(`The Brain's server of tools refused a message: ${reason}`)
}

/** Sends a message to a Brain's server of tools (MCP) and gives its result. `isRepeatable`: twice does no more than once. */
export const sendToolMessage = async (
  { settings, handle }: BrainOrigin,
  { method, params }: { method: string; params: Data },
  { signal, isRepeatable }: { signal?: AbortSignal | undefined; isRepeatable: boolean },
): Promise<Data> => {
  const { text } = await send(settings, {
    method: 'POST',
    path: fillPath('/v1/brains/{handle}/mcp', { handle }),
    query: '',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    isRepeatable,
    signal,
    timeoutMs: settings.timeoutMs,
    maxRetries: settings.maxRetries,
  })
  return parseAnswer(text)
}
