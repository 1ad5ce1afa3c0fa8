import type { CallToolResult } from '@modelcontextprotocol/server'
import { idempotencyKey } from '@noema/contracts/common.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { authorize } from '../access/authorize.ts'
import type { AppDeps } from '../app-deps.ts'
import type { Call, Route } from '../http/endpoint.ts'
import { errorAnswer, toApiError } from '../http/errors.ts'
import { parseWith } from '../http/parse.ts'
import { changeRoutes } from '../http/routes/changes.ts'
import { eventRoutes } from '../http/routes/events.ts'
import { knowledgeRoutes } from '../http/routes/knowledge.ts'
import { readingRoutes } from '../http/routes/reading.ts'
import { receiptRoutes } from '../http/routes/receipts.ts'
import { schemaRoutes } from '../http/routes/schema.ts'
import { type ApiError, validation } from '../shared/errors.ts'
import { argumentsOf, pathParametersOf } from './input-schema.ts'
import type { Tool } from './tools.ts'

// A call of a tool becomes a call of the endpoint that it names: the same access, the same checks, the same operation, the
// same answer. Only how arguments arrive and how answers leave is MCP's.

type Arguments = Readonly<Record<string, unknown>>
/** Who calls, and for how long. */
export type Context = Pick<Call<Endpoint>, 'caller' | 'isStillAllowed' | 'signal'> & { handle: string }

const routes: ReadonlyMap<Endpoint, Route<AppDeps>> = new Map(
  [...readingRoutes, ...receiptRoutes, ...knowledgeRoutes, ...eventRoutes, ...schemaRoutes, ...changeRoutes].map(
    (route) => [route.endpoint, route],
  ),
)

/** The endpoint that a call of a tool means. */
const endpointOf = ({ actions }: Tool, given: unknown): Endpoint => {
  const names = Object.keys(actions)
  const name = given ?? names[0]
  const endpoint = typeof name === 'string' && Object.hasOwn(actions, name) ? actions[name] : undefined
  if (endpoint) return endpoint
  throw validation(`There is no action ${JSON.stringify(given)}; there are ${names.join(', ')}.`, {
    details: [{ path: 'arguments.action', message: `One of ${names.join(', ')}.` }],
  })
}

const checkNames = (endpoint: Endpoint, given: Arguments): void => {
  const known = argumentsOf(endpoint)
  const unknown = Object.keys(given).filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw validation(
      `This takes no ${unknown.map((name) => JSON.stringify(name)).join(', ')}; it takes ${known.join(', ') || 'nothing'}.`,
      { details: unknown.map((name) => ({ path: `arguments.${name}`, message: 'Unknown argument.' })) },
    )
}

/** An argument as a query has it: text, with commas between the items of a list. */
const asQueryText = (value: unknown): unknown =>
  Array.isArray(value) ? value.join(',') : ['number', 'boolean'].includes(typeof value) ? String(value) : value

const pick = (given: Arguments, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]))

const namesOf = (schema: Endpoint['query'] | Endpoint['body']): string[] =>
  schema && 'shape' in schema ? Object.keys(schema.shape as object) : []

const textParameters = (endpoint: Endpoint, given: Arguments): Record<string, string> =>
  Object.fromEntries(
    pathParametersOf(endpoint).map((name) => {
      const value = given[name]
      if (typeof value === 'string' && value !== '') return [name, value]
      const message = 'This action needs it, as text.'
      throw validation(`arguments.${name}: ${message}`, { details: [{ path: `arguments.${name}`, message }] })
    }),
  )

const callOf = (endpoint: Endpoint, { handle, ...context }: Context, given: Arguments): Call<Endpoint> => {
  const query = Object.entries(pick(given, namesOf(endpoint.query))).map(([name, value]) => [name, asQueryText(value)])
  const parsed = {
    query: endpoint.query && parseWith(endpoint.query, Object.fromEntries(query), 'arguments'),
    body: endpoint.body && parseWith(endpoint.body, pick(given, namesOf(endpoint.body)), 'arguments'),
    key: parseWith(idempotencyKey.optional(), given.idempotencyKey, 'arguments.idempotencyKey'),
  }
  return {
    ...context,
    params: { handle, ...textParameters(endpoint, given) },
    query: parsed.query as Call<Endpoint>['query'],
    body: parsed.body as Call<Endpoint>['body'],
    idempotencyKey: parsed.key as string | undefined,
    ifMatch: undefined,
    // Those of the request speak to MCP: its Accept would turn a page of events into a live tail.
    headers: {},
  }
}

/** An error as a model is told of it: its kind, what to do, and each thing that is wrong. */
const failure = (error: ApiError): CallToolResult => {
  const { headers, body } = errorAnswer(error)
  const wait =
    headers['retry-after'] === undefined ? '' : ` Wait ${headers['retry-after']} seconds before the next try.`
  const details = (error.details ?? [])
    .filter(({ message }) => message !== error.message)
    .map(({ path, message }) => `${path}: ${message}`)
    .filter((line) => !error.message.startsWith(line))
    .map((line) => `\n- ${line}`)
    .join('')
  const name = error.code === undefined ? error.kind : `${error.kind} (${error.code})`
  return {
    isError: true,
    content: [{ type: 'text', text: `${name}: ${error.message}${wait}${details}` }],
    structuredContent: JSON.parse(body),
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
  deps: AppDeps,
  tool: Tool,
  { action, ...given }: Arguments,
  context: Context,
): Promise<CallToolResult> => {
  try {
    const endpoint = endpointOf(tool, action)
    authorize(endpoint.access, context.caller, context.handle)
    checkNames(endpoint, given)
    const answer = await routes.get(endpoint)?.handle(deps, callOf(endpoint, context, given))
    if (!answer || !('data' in answer || 'json' in answer)) throw new Error(`${tool.name} answers nothing`)
    return shownAnswer(tool, 'json' in answer ? answer.json : JSON.stringify(answer.data))
  } catch (error) {
    return failure(toApiError(error, deps.log))
  }
}
