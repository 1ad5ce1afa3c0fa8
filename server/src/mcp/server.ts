import { mcp, organizationMcp } from '@noema/contracts/mcp.ts'
import type { AppDeps } from '../api/app-deps.ts'
import { type Call, defineBinding, type ProtocolAnswer, type UnreadMessage } from '../api/binding.ts'
import { checkKeepable } from '../api/read-json.ts'
import { ApiError } from '../shared/errors.ts'
import { isJsonObject } from '../shared/text/json.ts'

// A Brain or an organization as a server of the Model Context Protocol: streamable HTTP without sessions, so any node
// answers any message. It supports the newest revision, whose requests are self-contained, and the earlier ones, which
// start with `initialize`. HTTP decides who may connect (401, 404); every answer after that is JSON-RPC.

// It has a body's nesting inside of `params.arguments`. Its arguments are checked on the main thread, so that it has fewer
// values than a body.
const messageJson = { what: 'The message', root: [], maxDepth: 66, maxValues: 100_000 }

// As JSON-RPC numbers them.
const parseError = -32_700
const invalidRequest = -32_600

const refusal = (code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status: 400 })

/**
 * Keeps only the names of a tool's arguments: the call validates their values, so that the model gets the errors. The
 * protocol's package loses one of the names, so the call does not read them from it.
 */
const withoutArguments = (message: unknown): unknown => {
  const params = isJsonObject(message) && message.method === 'tools/call' ? message.params : undefined
  if (!isJsonObject(message) || !isJsonObject(params) || !isJsonObject(params.arguments)) return message
  const names = Object.keys(params.arguments).map((name) => [name, null])
  return { ...message, params: { ...params, arguments: Object.fromEntries(names) } }
}

/** The message of a request, or why it is none. */
const readMessage = async (body: UnreadMessage): Promise<{ message: unknown } | { refused: Response }> => {
  try {
    const message = await body.parse(messageJson)
    // Protocol revisions of 2025 dropped batches; they would let one request ask for the work of thousands.
    if (Array.isArray(message)) return { refused: refusal(invalidRequest, 'Send one message at a time, not a batch.') }
    if (message === undefined) return { refused: refusal(parseError, 'Send a JSON-RPC message as the body.') }
    checkKeepable(withoutArguments(message))
    return { message }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const at = error.at?.join('.').replace(/^params\.arguments\b/, 'arguments')
    return { refused: refusal(parseError, at === undefined ? error.message : `${at}: ${error.message}`) }
  }
}

type BrainCall = Call<typeof mcp>
type OrganizationCall = Call<typeof organizationMcp>

/** Reads a message and answers it. A server's code is loaded with its first message, because most nodes get none. */
const serve = async (
  { body }: Pick<BrainCall, 'body'>,
  method: string,
  answer: (message: unknown) => Promise<Response>,
): Promise<ProtocolAnswer> => {
  const read = method === 'POST' ? await readMessage(body) : { message: undefined }
  return { response: 'refused' in read ? read.refused : await answer(read.message) }
}

const serveBrain = (deps: AppDeps, call: BrainCall, method: string) =>
  serve(call, method, async (message) => {
    const { answerBrainMessage } = await import('./brain-server.ts')
    return answerBrainMessage(deps, call, { method, message })
  })

const serveOrganization = (deps: AppDeps, call: OrganizationCall, method: string) =>
  serve(call, method, async (message) => {
    const { answerOrganizationMessage } = await import('./organization-server.ts')
    return answerOrganizationMessage(deps, call, { method, message })
  })

/** The endpoints. Clients of the 2025 revisions also try GET and DELETE, and need 405 for a method that does not exist. */
export const mcpBindings = (['POST', 'GET', 'DELETE'] as const).flatMap((method) => [
  defineBinding({ ...mcp, method }, (deps, call) => serveBrain(deps, call, method)),
  defineBinding({ ...organizationMcp, method }, (deps, call) => serveOrganization(deps, call, method)),
])
