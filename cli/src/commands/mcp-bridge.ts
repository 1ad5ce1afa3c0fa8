import { createInterface } from 'node:readline'
import { requireConnection } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

export type BridgeOptions = GlobalOptions & { brain?: string }

type Message = { id?: string | number | null; method?: string }

const parseErrorCode = -32_700
const internalErrorCode = -32_603

/** Requests of one client that are on their way at once; further ones wait, and with them the reading of its input. */
const maxOpen = 32

const toFailure = (id: Message['id'], code: number, message: string) => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code, message },
})

/** Describes an answer that is not JSON-RPC: an envelope of the API, or a proxy's page. */
const describeRefusal = (status: number, text: string): string => {
  try {
    const { error }: { error?: { message?: string } } = JSON.parse(text)
    if (error?.message) return error.message
  } catch {
    // Not from the API: only its status is known.
  }
  return `The service answered ${status}. Check the address and the key of this server's configuration.`
}

const parseMessage = (line: string): Message | undefined => {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? message : undefined
  } catch {
    return undefined
  }
}

/** The messages of an answer: one, or the data of a stream of events. */
const readMessages = (type: string, text: string): string[] => {
  if (!type.includes('text/event-stream')) return text.trim() === '' ? [] : [text]
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
    return lines.length > 0 ? [lines.map((line) => line.slice(5).trimStart()).join('\n')] : []
  })
}

/** Sends one line to the service and returns the lines to write back. */
const forward = async (line: string, { url, apiKey, signal }: Target): Promise<unknown[]> => {
  const message = parseMessage(line)
  if (message === undefined) return [toFailure(null, parseErrorCode, 'The line is not a JSON object.')]
  const answerable = message.method !== undefined && message.id !== undefined
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: line,
      signal,
    })
    const text = await response.text()
    if (response.ok)
      return readMessages(response.headers.get('content-type') ?? '', text).map((part) => JSON.parse(part))
    return answerable ? [toFailure(message.id, internalErrorCode, describeRefusal(response.status, text))] : []
  } catch (error) {
    const why = error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : ''
    return answerable ? [toFailure(message.id, internalErrorCode, `${url} cannot be reached: ${why}.`)] : []
  }
}

type Target = { url: string; apiKey: string; signal: AbortSignal }

/**
 * Runs an MCP server on standard input and output for clients that start a program, and forwards each message to the
 * service's MCP server: that of a Brain, or without one that of the organization. Exits when the client closes its end.
 */
export const bridgeMcp = async (context: Context, options: BridgeOptions): Promise<number> => {
  const { stdin, stdout, stderr, signal } = context
  const { baseUrl, apiKey, brain: usual } = requireConnection(context, options)
  const brain = options.brain ?? usual
  const path = brain === undefined ? '/v1/mcp' : `/v1/brains/${encodeURIComponent(brain)}/mcp`
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`
  await writeLine(stderr, `noema: Speaking MCP for ${url}.`)
  const open = new Set<Promise<void>>()
  const lines = createInterface({ input: stdin, signal })
  for await (const line of lines) {
    if (line.trim() === '') continue
    const answered = forward(line, { url, apiKey, signal }).then(async (messages) => {
      for (const message of messages) await writeJson(stdout, message)
    })
    const settled = answered.catch(() => undefined).finally(() => open.delete(settled))
    open.add(settled)
    if (open.size >= maxOpen) await Promise.race(open)
  }
  await Promise.all(open)
  return signal.aborted ? exitCodes.interrupted : exitCodes.ok
}
