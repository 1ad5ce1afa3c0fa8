import { readContext } from '@noema/contracts/context.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { queryRecords } from '@noema/contracts/query.ts'
import { searchBrain } from '@noema/contracts/search.ts'
import type { Principal } from '../../access/principal.ts'
import { leaveReceipt, type ReceiptWriter } from '../../features/retrieval/receipts/leave-receipt.ts'
import type { WritePrecondition } from '../../features/writing/commit/write-request.ts'
import type { Clock } from '../../shared/clock.ts'
import { type ApiError, type Path, validation } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { isJsonObject } from '../../shared/text/json.ts'
import { argumentPart } from '../arguments.ts'
import { errorBody, retrySeconds, toApiError } from '../errors.ts'
import type { Arguments, Invoke } from '../invoke.ts'
import { findRead, type Read, type ReadSubject } from './reads.ts'
import type { Tool } from './tools.ts'

// A call of a tool becomes a call of the endpoint that it names.

/** The outcome of a tool's call: texts that a model reads, and all of it as data. `subject`: the subject of a read. */
export type ToolResult = {
  isError: boolean
  texts: readonly string[]
  data: Record<string, unknown>
  subject?: ReadSubject | undefined
}

/** Settings of a caller between a model and its tools, which the model cannot change. */
export type CallSettings = {
  /** The consumer, if the server sets it. */
  consumerId?: string
  /** Adds to the arguments of an endpoint what a model has no say in, or throws what it may not send. */
  complete?: (endpoint: Endpoint, given: Arguments) => Promise<Arguments>
  guard?: WritePrecondition
  /** The maximal length of a list as JSON; a longer one is refused before it is read. */
  maxListBytes?: number
  /** Errors that the caller handles itself, instead of showing them to the model. */
  throws?: (error: unknown) => boolean
}

/** The endpoints that leave a receipt themselves, for the consumer that the call names. */
export const leavingReceipts: readonly Endpoint[] = [searchBrain, readContext, queryRecords]

type Deps = { invoke: Invoke; log: Log; receipts: ReceiptWriter; clock: Clock }

/** The endpoint of an action of a tool; of its first one where a call names none. */
export const findAction = ({ actions }: Tool, given: unknown): Endpoint | undefined => {
  const name = given ?? Object.keys(actions)[0]
  return typeof name === 'string' && Object.hasOwn(actions, name) ? actions[name] : undefined
}

/** The endpoint that a call of a tool means. */
const findEndpoint = (tool: Tool, given: unknown): Endpoint => {
  const endpoint = findAction(tool, given)
  if (endpoint) return endpoint
  const names = Object.keys(tool.actions)
  throw validation(`There is no action ${JSON.stringify(given)}; there are ${names.join(', ')}.`, {
    details: [{ path: ['action'], message: `One of ${names.join(', ')}.` }],
  })
}

const pick = (given: Arguments, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]))

/** Translates a path into the names of a tool's own arguments. Other paths stay the same. */
const toArgumentPath =
  ({ named = {}, isOfBrain }: Tool, endpoint: Endpoint | undefined) =>
  (path: Path): string => {
    const [name, ...inside] = path
    if (name === undefined || name === 'action' || (isOfBrain && name === 'brain'))
      return ['arguments', ...path].join('.')
    const isArgument = endpoint && argumentPart(endpoint, String(name))
    const shown = Object.entries(named).find(([, argument]) => argument === name)?.[0] ?? name
    return (isArgument ? ['arguments', shown, ...inside] : path).join('.')
  }

/** The arguments under the names that endpoints have for them. */
const toArguments = ({ named = {} }: Tool, given: Arguments): Arguments =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [named[name] ?? name, value]))

/** The refusal of arguments that this action does not take and others do, with those. */
const namingActions = (error: ApiError, { actions }: Tool, endpoint: Endpoint, given: Arguments): ApiError => {
  const names = Object.keys(given)
  if (error.kind !== 'validation' || names.every((name) => argumentPart(endpoint, name))) return error
  const others = Object.entries(actions).filter(([, one]) => names.every((name) => argumentPart(one, name)))
  if (others.length === 0) return error
  const { message, details } = error
  const reported = others.map(([name]) => JSON.stringify(name)).join(' or ')
  return validation(`${message} What you sent is taken by the action ${reported}.`, details ? { details } : {})
}

/** An error for a model: its kind, what to do, and each problem. */
const failure = (error: ApiError, tool: Tool, endpoint: Endpoint | undefined): ToolResult => {
  const data = errorBody(error, toArgumentPath(tool, endpoint))
  const { kind, code, message, details = [] } = data.error
  const seconds = retrySeconds(error)
  const wait = seconds === undefined ? '' : ` Wait ${seconds} seconds before the next try.`
  const lines = details
    .filter((detail) => detail.message !== error.message)
    .map((detail) => `${detail.path}: ${detail.message}`)
    .filter((line) => !message.startsWith(line))
    .map((line) => `\n- ${line}`)
    .join('')
  const name = code === undefined ? kind : `${kind} (${code})`
  return { isError: true, texts: [`${name}: ${message}${wait}${lines}`], data }
}

/** An answer as a model reads it. */
const shownAnswer = (tool: Tool, data: Record<string, unknown>): ToolResult => {
  if (tool.text === undefined) return { isError: false, texts: [JSON.stringify(data)], data }
  const [asItStands, ...beside] = tool.text
  return { isError: false, texts: [String(data[asItStands]), JSON.stringify(pick(data, beside))], data }
}

/** The data of an answer, with the receipt of what it served: a model's reads leave one, whichever way it reads (D-53). */
const withReceipt = async (
  deps: Deps,
  { principal, read, consumerId }: { principal: Principal; read: Read | undefined; consumerId: string | undefined },
  data: Record<string, unknown>,
): Promise<Record<string, unknown>> => {
  const items = read?.listServed?.(data) ?? []
  const brain = 'brain' in principal ? principal.brain : undefined
  if (items.length === 0 || brain === undefined) return data
  const stateVersion = Number(data.stateVersion)
  const reading = { operation: 'read', consumerId, stateVersion, items } as const
  const { preview } = data
  // Nothing says which versions of such a read are of the change, so none of them counts as one of the Brain.
  const ofChange =
    isJsonObject(preview) && typeof preview.change === 'string'
      ? { change: preview.change, isPreviewed: () => true }
      : {}
  const receipt = await leaveReceipt(deps, brain, { ...reading, ...ofChange })
  return { ...data, receipt }
}

const checkLength = ({ list }: Endpoint, json: string, max = Number.POSITIVE_INFINITY): void => {
  if (list === undefined || json.length <= max) return
  throw validation(`This page would have ${json.length} characters. Ask for fewer items by \`limit\`.`, {
    details: [{ path: ['limit'], message: 'Send a lower one.' }],
  })
}

/** The answer to a call that could not be made. */
export const failCall = (deps: { log: Log }, tool: Tool, error: unknown): ToolResult =>
  failure(toApiError(error, deps.log), tool, undefined)

/** Calls a tool. A refusal of the endpoint becomes the tool's error, which a model can read and act on. */
export const callTool = async (
  deps: Deps,
  tool: Tool,
  { action, ...sent }: Arguments,
  principal: Principal,
  { consumerId, complete, guard, maxListBytes, throws }: CallSettings = {},
): Promise<ToolResult> => {
  let endpoint: Endpoint | undefined
  const given = toArguments(tool, sent)
  try {
    endpoint = findEndpoint(tool, action)
    const completed = (await complete?.(endpoint, given)) ?? given
    const answer = await deps.invoke(endpoint, principal, completed, guard && { guard, asked: given })
    const json = 'json' in answer ? answer.json : JSON.stringify(answer.data)
    checkLength(endpoint, json, maxListBytes)
    const read = findRead(endpoint)
    const data = await withReceipt(deps, { principal, read, consumerId }, JSON.parse(json))
    return { ...shownAnswer(tool, data), subject: read?.subject }
  } catch (error) {
    if (throws?.(error)) throw error
    const reported = toApiError(error, deps.log)
    return failure(endpoint ? namingActions(reported, tool, endpoint, given) : reported, tool, endpoint)
  }
}
