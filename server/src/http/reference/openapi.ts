import { endpoints } from '@noema/contracts/api.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { errorCodes } from '@noema/contracts/error-codes.ts'
import { exportLine } from '@noema/contracts/exports.ts'
import { mcpEndpoints } from '@noema/contracts/mcp.ts'
import { openAiEndpoints } from '@noema/contracts/openai.ts'
import { getOpenApi } from '@noema/contracts/openapi.ts'
import { toAccessData, toAccessText } from './access-text.ts'
import { areas, findArea } from './areas.ts'
import { addDiscriminators } from './discriminators.ts'
import recorded from './examples.json' with { type: 'json' }
import { headers, referTo } from './headers.ts'
import { createParameters } from './parameters.ts'
import { createErrors, errorExamples, listResponses } from './responses.ts'
import { createSchemas, nameComponents, type ToSchema } from './schemas.ts'
import { sharedSchemas } from './shared-schemas.ts'

type Example = { request?: unknown; answers: Record<string, unknown> }
type Described = { name: string; endpoint: Endpoint }

const examples: Record<string, Example> = recorded

/** The credentials that most operations accept: any one of them. */
const usualSecurity = [{ bearer: [] }, { apiKey: [] }, { session: [] }]

/** The accepted credentials of an operation, if they are not the usual ones. */
const toSecurity = ({ access }: Endpoint) => {
  if (access === 'public') return { security: [] }
  return access === 'session' || access === 'account' ? { security: [{ session: [] }] } : {}
}

const withExample = (content: object, example: unknown) =>
  example === undefined
    ? content
    : Object.fromEntries(
        Object.entries(content).map(([type, media]) => [type, { ...media, ...toExample(type, example) }]),
      )

/** An example belongs to the form in which it was recorded: text to streams, JSON to JSON. Of lines, the first is shown. */
const toExample = (type: string, example: unknown) => {
  if (type === 'application/x-ndjson') return { example: JSON.parse(String(example).split('\n')[0] ?? '') }
  return (typeof example === 'string') === (type !== 'application/json') ? { example } : {}
}

const fileBody = {
  requestBody: { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
}

const toBody = (toSchema: ToSchema, name: string, endpoint: Endpoint) => {
  if (endpoint.file === 'body') return fileBody
  const type = endpoint.ndjson === 'body' ? 'application/x-ndjson' : 'application/json'
  const schema = endpoint.ndjson === 'body' ? exportLine : endpoint.body
  if (!schema) return {}
  return {
    requestBody: {
      required: !endpoint.bodyOptional,
      // An import takes the lines that an export wrote.
      content: withExample(
        { [type]: { schema: toSchema(schema, schema === exportLine ? 'output' : 'input') } },
        examples[name]?.request,
      ),
    },
  }
}

type Parts = {
  toSchema: ToSchema
  errors: ReturnType<typeof createErrors>
  parameters: ReturnType<typeof createParameters>
}

/** The example of an answer, once: the same one under another status would say nothing more. */
const findExample = (answers: Record<string, unknown> = {}, status: string): unknown => {
  const first = Object.keys(answers).find((one) => JSON.stringify(answers[one]) === JSON.stringify(answers[status]))
  return first === status ? answers[status] : undefined
}

const toResponses = ({ toSchema, errors }: Parts, name: string, endpoint: Endpoint) => {
  const made = listResponses(toSchema, errors, endpoint)
  return Object.fromEntries(
    Object.entries(made).map(([status, answer]) => [
      status,
      answer.content === undefined
        ? answer
        : { ...answer, content: withExample(answer.content as object, findExample(examples[name]?.answers, status)) },
    ]),
  )
}

/** Facts of the contract that OpenAPI has no words for. A change of one shows in docs/openapi.json, like any other. */
const toExtensions = ({ access, list, bodyLimit, idempotencyKey }: Endpoint) => ({
  'x-noema-access': toAccessData(access),
  ...(list === undefined ? {} : { 'x-noema-list': list }),
  ...(bodyLimit === undefined ? {} : { 'x-noema-body-limit': bodyLimit }),
  ...(idempotencyKey === undefined ? {} : { 'x-noema-idempotency-key': idempotencyKey }),
})

const toOperation = (parts: Parts, name: string, endpoint: Endpoint) => ({
  operationId: name,
  summary: endpoint.summary,
  description: [endpoint.description, toAccessText(endpoint.access)].filter(Boolean).join('\n\n'),
  tags: [findArea(name) ?? 'Reference'],
  ...toExtensions(endpoint),
  parameters: parts.parameters.list(endpoint),
  ...toSecurity(endpoint),
  ...toBody(parts.toSchema, name, endpoint),
  responses: toResponses(parts, name, endpoint),
})

/** MCP's answers to a malformed message, and to methods that it does not use: JSON-RPC, where others have an error. */
const rpcRefusal = (parts: Parts, endpoint: Endpoint, description: string) => ({
  description,
  headers: referTo(['x-request-id']),
  content: {
    'application/json': {
      schema: parts.toSchema(endpoint.result, 'output'),
      example: { jsonrpc: '2.0', id: null, error: { code: -32_700, message: description } },
    },
  },
})

/** The operation of an endpoint that speaks JSON-RPC, whose refusals are in JSON-RPC too. */
const toRpcOperation = (parts: Parts, name: string, endpoint: Endpoint) => {
  const operation = toOperation(parts, name, endpoint)
  const refused = rpcRefusal(parts, endpoint, 'The body is not one JSON-RPC message.')
  const description = `${operation.description} GET and DELETE answer 405: there are no sessions, and no streams to open.`
  return { ...operation, description, responses: { ...operation.responses, '400': refused } }
}

// Not in the API's tree: clients of other protocols and readers of the document use these, not the SDK.
const documented: readonly Described[] = [
  ...endpoints,
  ...mcpEndpoints,
  ...openAiEndpoints,
  { name: 'openapi', endpoint: getOpenApi },
]

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A management key (`nsk_…`) or a Brain key (`nbk_…`).',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same keys in another header.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'noema.session_token',
    description: 'The cookie of somebody who has signed in, sent from a trusted origin.',
  },
}

const about = `Noema keeps knowledge for AI agents: records, statements and documents in **Brains**, with reviewable writes and one
ordered stream of events.

**Answers** are \`{ "data": … }\`, errors \`{ "error": { "kind", "message", "code"?, "details"? } }\`. Branch on \`kind\`; \`code\`
refines it, and \`x-noema-error-codes\` in this document says what each code means. \`rate_limited\` and \`unavailable\` are temporary, and \`Retry-After\` says when to try again.

**Limits**: answers to callers that are let in say in \`RateLimit\` how many requests are left, and in \`RateLimit-Policy\` by
which limits.

**Lists** take \`after\`, \`limit\` and mostly \`order\`, and answer \`cursor\` and \`hasMore\`. A cursor is opaque.

**Undeclared query parameters** are refused. Undeclared body fields are ignored and named in \`Ignored-Fields\`, or refused
with \`Prefer: handling=strict\`; some bodies are always strict, and their schemas say so. Answers may get new fields at any time.

**Whatever is read by GET** can be asked for by HEAD, which answers the same status and headers.`

/** The OpenAPI 3.1 document of every endpoint, made from the contracts. */
export const openApiDocument = (serverUrl: string, described: readonly Described[] = documented) => {
  const { toSchema, components } = createSchemas()
  const errors = createErrors()
  const parameters = createParameters(
    toSchema,
    described.map(({ endpoint }) => endpoint),
  )
  const parts = { toSchema, errors, parameters }
  const paths: Record<string, Record<string, object>> = {}
  for (const { name, endpoint } of described) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: (endpoint.jsonRpc ? toRpcOperation : toOperation)(parts, name, endpoint),
    }
  }
  toSchema(sharedSchemas.Error, 'output')
  const { document, schemas } = nameComponents({ paths, parameters: parameters.components }, components)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Noema',
      version: 'v1',
      summary: 'Knowledge stores for AI agents: reviewable writes and one ordered stream of events.',
      description: about,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: usualSecurity,
    tags: areas.map(({ name, description }) => ({ name, description })),
    paths: document.paths,
    components: {
      schemas: addDiscriminators(schemas),
      parameters: document.parameters,
      headers,
      responses: errors.components,
      examples: errorExamples,
      securitySchemes,
    },
    'x-noema-error-codes': errorCodes,
  }
}
