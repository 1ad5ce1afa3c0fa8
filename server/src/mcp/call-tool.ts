import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { Principal } from '../access/principal.ts'
import { argumentPart } from '../api/arguments.ts'
import { errorBody, retrySeconds, toApiError } from '../api/errors.ts'
import type { Arguments, Invoke } from '../api/invoke.ts'
import { type ApiError, type Path, validation } from '../shared/errors.ts'
import type { Log } from '../shared/log.ts'
import type { Tool } from './tools.ts'

// A call of a tool becomes a call of the endpoint that it names. Only how the action is named and how answers leave is MCP's.

/** The endpoint that a call of a tool means. */
const findEndpoint = ({ actions }: Tool, given: unknown): Endpoint => {
  const names = Object.keys(actions)
  const name = given ?? names[0]
  const endpoint = typeof name === 'string' && Object.hasOwn(actions, name) ? actions[name] : undefined
  if (endpoint) return endpoint
  throw validation(`There is no action ${JSON.stringify(given)}; there are ${names.join(', ')}.`, {
    details: [{ path: ['action'], message: `One of ${names.join(', ')}.` }],
  })
}

const pick = (given: Arguments, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]))

/** Where something stands, in the names of a tool's own arguments. What is none of them stays as it is. */
const placeInArguments =
  (endpoint: Endpoint | undefined) =>
  (path: Path): string => {
    const [name] = path
    const isArgument = name === undefined || name === 'action' || (endpoint && argumentPart(endpoint, String(name)))
    return (isArgument ? ['arguments', ...path] : path).join('.')
  }

/** An error as a model is told of it: its kind, what to do, and each thing that is wrong. */
const failure = (error: ApiError, endpoint: Endpoint | undefined): CallToolResult => {
  const structuredContent = errorBody(error, placeInArguments(endpoint))
  const { kind, code, message, details = [] } = structuredContent.error
  const seconds = retrySeconds(error)
  const wait = seconds === undefined ? '' : ` Wait ${seconds} seconds before the next try.`
  const lines = details
    .filter((detail) => detail.message !== error.message)
    .map((detail) => `${detail.path}: ${detail.message}`)
    .filter((line) => !message.startsWith(line))
    .map((line) => `\n- ${line}`)
    .join('')
  const name = code === undefined ? kind : `${kind} (${code})`
  return {
    isError: true,
    content: [{ type: 'text', text: `${name}: ${message}${wait}${lines}` }],
    structuredContent,
  }
}

/** An answer as a model reads it. */
const shownAnswer = (tool: Tool, json: string): CallToolResult => {
  const structuredContent = JSON.parse(json)
  if (tool.text === undefined) return { content: [{ type: 'text', text: json }], structuredContent }
  const [asItStands, ...beside] = tool.text
  const parts = [String(structuredContent[asItStands]), JSON.stringify(pick(structuredContent, beside))]
  return { content: parts.map((text) => ({ type: 'text' as const, text })), structuredContent }
}

/** Calls a tool. What the endpoint would refuse is the tool's error, which a model can read and act on. */
export const callTool = async (
  { invoke, log }: { invoke: Invoke; log: Log },
  tool: Tool,
  { action, ...given }: Arguments,
  principal: Principal,
): Promise<CallToolResult> => {
  let endpoint: Endpoint | undefined
  try {
    endpoint = findEndpoint(tool, action)
    const answer = await invoke(endpoint, principal, given)
    return shownAnswer(tool, 'json' in answer ? answer.json : JSON.stringify(answer.data))
  } catch (error) {
    return failure(toApiError(error, log), endpoint)
  }
}
