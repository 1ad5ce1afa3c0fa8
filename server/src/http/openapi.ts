import type { Access } from '@noema/contracts/access.ts'
import { endpoints } from '@noema/contracts/api.ts'
import { operation, operationResult } from '@noema/contracts/batch.ts'
import { brain } from '@noema/contracts/brains.ts'
import { changeDetail, changeItem, changeSchemaItem, changeSummary } from '@noema/contracts/changes.ts'
import { actor, provenance, provenanceInput } from '@noema/contracts/common.ts'
import { document, newDocument } from '@noema/contracts/documents.ts'
import { type Endpoint, takesJson } from '@noema/contracts/endpoint.ts'
import { errorStatus } from '@noema/contracts/error-status.ts'
import { errorBody } from '@noema/contracts/errors.ts'
import { exportLine } from '@noema/contracts/exports.ts'
import { brainKey, managementKey } from '@noema/contracts/keys.ts'
import { mcp, mcpEndpoints } from '@noema/contracts/mcp.ts'
import { getOpenApi } from '@noema/contracts/openapi.ts'
import { newRecord, record, recordPatch } from '@noema/contracts/records.ts'
import { brainSchema, schemaOperation } from '@noema/contracts/schema.ts'
import { schemaKind } from '@noema/contracts/schema-kinds.ts'
import { planItem, snapshot } from '@noema/contracts/snapshots.ts'
import { newStatement, statement } from '@noema/contracts/statements.ts'
import { z } from 'zod'

/** The parts that several endpoints share, by the names under which the document has them. */
const shared = {
  Actor: actor,
  Brain: brain,
  BrainKey: brainKey,
  BrainRecord: record,
  BrainSchema: brainSchema,
  Change: changeDetail,
  ChangeItem: changeItem,
  ChangeSchemaItem: changeSchemaItem,
  ChangeSummary: changeSummary,
  Document: document,
  ManagementKey: managementKey,
  NewDocument: newDocument,
  NewRecord: newRecord,
  NewStatement: newStatement,
  Operation: operation,
  OperationResult: operationResult,
  PlanItem: planItem,
  Provenance: provenance,
  ProvenanceInput: provenanceInput,
  RecordPatch: recordPatch,
  SchemaKind: schemaKind,
  SchemaOperation: schemaOperation,
  Snapshot: snapshot,
  Statement: statement,
}

/** What contracts say of their schemas, and the names of the shared ones: in this document alone, not wherever zod looks. */
class Names extends z.core.$ZodRegistry<{ id?: string | undefined }> {
  override get<Schema extends z.core.$ZodType>(schema: Schema): z.core.$replace<{ id?: string | undefined }, Schema> {
    return { ...z.globalRegistry.get(schema), ...super.get(schema) }
  }
}
const metadata = new Names()
for (const [id, schema] of Object.entries(shared)) metadata.add(schema, { id })

type ToSchema = (schema: z.ZodType, io: 'input' | 'output') => Record<string, unknown>

/** Makes JSON Schemas that refer to shared parts, and gathers those. What is sent differs from what is answered. */
const createSchemas = () => {
  const components: Record<string, object> = {}
  const toSchema: ToSchema = (schema, io) => {
    const ending = io === 'input' ? 'Input' : ''
    const made = z.toJSONSchema(schema, { io, metadata, unrepresentable: 'any', target: 'draft-2020-12' })
    const text = JSON.stringify(made).replaceAll(/"#\/\$defs\/(\w+)"/g, `"#/components/schemas/$1${ending}"`)
    const { $schema, $defs = {}, ...rest } = JSON.parse(text)
    for (const [name, { id, ...part }] of Object.entries<Record<string, unknown>>($defs))
      components[name + ending] = part
    return rest
  }
  return { toSchema, components }
}

const headerParameter = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const organizationParameter = (access: Access) => {
  if (access === 'session') return [headerParameter('x-organization-id', 'The organization to act in.')]
  const isOfOrganization = access === 'management' || (typeof access === 'object' && !access.keysOnly)
  return isOfOrganization
    ? [headerParameter('x-organization-id', 'The organization to act in. Sent with a session; keys need none.')]
    : []
}

const listParameters = (toSchema: ToSchema, endpoint: Endpoint) => {
  const { properties = {}, required = [] } = endpoint.query ? toSchema(endpoint.query, 'input') : {}
  return [
    ...[...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(properties as Record<string, object>).map(([name, schema]) => ({
      name,
      in: 'query',
      required: (required as string[]).includes(name),
      schema,
    })),
    ...(endpoint.idempotencyKey === 'header'
      ? [headerParameter('Idempotency-Key', 'A repeat with the same key and body gets the first response.')]
      : []),
    ...(endpoint.ifMatch ? [headerParameter('If-Match', 'The version that must be current, in quotes.')] : []),
    ...(takesJson(endpoint)
      ? [
          headerParameter(
            'Prefer',
            `handling=strict refuses body fields that are not declared, instead of ignoring them.${endpoint.wait ? ' wait=<seconds> waits for the end, at most 60 seconds.' : ''}`,
          ),
        ]
      : []),
    ...organizationParameter(endpoint.access),
  ]
}

const listSecurity = ({ access }: Endpoint) => {
  if (access === 'public') return []
  if (access === 'session' || access === 'account') return [{ session: [] }]
  const takesSessions = typeof access === 'string' || !access.keysOnly
  return [{ bearer: [] }, { apiKey: [] }, ...(takesSessions ? [{ session: [] }] : [])]
}

const rateHeaders = {
  'RateLimit-Policy': {
    description:
      'How many requests may be sent at once (q) and in how many seconds as many may be sent again (w): by the key or address, and by the organization.',
    schema: { type: 'string', examples: ['"key";q=5000;w=10, "organization";q=10000;w=10'] },
  },
  RateLimit: {
    description:
      'Of the policy that is closest to its end: how many requests are left (r), and in how many seconds all are (t).',
    schema: { type: 'string', examples: ['"key";r=4999;t=1'] },
  },
}

const errorHeaders = {
  ...rateHeaders,
  'Retry-After': {
    description: 'With 429 and 503: in how many seconds the same request may succeed.',
    schema: { type: 'integer', minimum: 1 },
  },
}

/** What an answer says of the body that it answers. */
const handlingHeaders = {
  'Ignored-Fields': {
    description: 'The paths of body fields that are not declared, with commas between them; +N stands for N more.',
    schema: { type: 'string' },
  },
  'Preference-Applied': {
    description: 'What Prefer asked for and was done: handling=strict, wait.',
    schema: { type: 'string' },
  },
}

const listResponses = (toSchema: ToSchema, endpoint: Endpoint) => {
  const data = toSchema(endpoint.result, 'output')
  const lines = { 'application/x-ndjson': { schema: data } }
  const wrapped = { type: 'object', required: ['data'], properties: { data } }
  const json = {
    'application/json': { schema: endpoint.jsonRpc || endpoint.isBare ? data : wrapped },
    ...(endpoint.tail || endpoint.jsonRpc ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
  }
  const events = { 'text/event-stream': { schema: data } }
  const content = endpoint.ndjson === 'answer' ? lines : endpoint.sse ? events : json
  const headers = { headers: takesJson(endpoint) ? { ...rateHeaders, ...handlingHeaders } : rateHeaders }
  const successes = endpoint.status.map((status) => [String(status), { description: 'Success', ...headers, content }])
  const failure = { $ref: '#/components/responses/Error' }
  const failures = Object.values(errorStatus).map((status) => [String(status), failure])
  return Object.fromEntries([...successes, ...failures])
}

const toOperation = (toSchema: ToSchema, name: string, endpoint: Endpoint) => ({
  operationId: name,
  summary: endpoint.summary,
  tags: [name.includes('.') ? name.split('.').slice(0, -1).join('.') : 'general'],
  parameters: listParameters(toSchema, endpoint),
  security: listSecurity(endpoint),
  ...(endpoint.ndjson === 'body'
    ? {
        requestBody: {
          required: true,
          content: { 'application/x-ndjson': { schema: toSchema(exportLine, 'input') } },
        },
      }
    : {}),
  ...(endpoint.body
    ? {
        requestBody: {
          required: !endpoint.bodyOptional,
          content: { 'application/json': { schema: toSchema(endpoint.body, 'input') } },
        },
      }
    : {}),
  responses: listResponses(toSchema, endpoint),
})

// Not in the API's tree: clients of other protocols and readers of the document use these, not the SDK.
const documented = [...endpoints, ...mcpEndpoints, { name: 'openapi', endpoint: getOpenApi }]

/** What MCP says of a message that is none, and of the methods that it has no use for: JSON-RPC, where others have an error. */
const rpcRefusal = (toSchema: ToSchema, description: string) => ({
  description,
  content: { 'application/json': { schema: toSchema(mcp.result, 'output') } },
})

/** The operation of an endpoint that speaks JSON-RPC, whose refusals are in JSON-RPC too. */
const toRpcOperation = (toSchema: ToSchema, name: string, endpoint: Endpoint) => {
  const operation = toOperation(toSchema, name, endpoint)
  const refused = rpcRefusal(toSchema, 'The body is not one JSON-RPC message')
  return { ...operation, responses: { ...operation.responses, '400': refused } }
}

/** The methods that clients of a protocol try and that it has no use for here. */
const unusedMethods = (toSchema: ToSchema, name: string, { path, access }: Endpoint) =>
  Object.fromEntries(
    (['GET', 'DELETE'] as const).map((method) => {
      const endpoint: Endpoint = {
        ...mcp,
        method,
        path,
        access,
        summary: 'Answers 405: there are no sessions or streams',
      }
      const {
        requestBody: _none,
        responses,
        ...operation
      } = toOperation(toSchema, `${name}.${method.toLowerCase()}`, endpoint)
      const refusals = Object.entries(responses).filter(([status]) => !status.startsWith('2') && status !== '400')
      const refused = rpcRefusal(toSchema, 'MCP is spoken with POST alone here')
      return [method.toLowerCase(), { ...operation, responses: { ...Object.fromEntries(refusals), '405': refused } }]
    }),
  )

/** The OpenAPI 3.1 document of every endpoint, made from the contracts. */
export const openApiDocument = (
  serverUrl: string,
  described: readonly { name: string; endpoint: Endpoint }[] = documented,
) => {
  const { toSchema, components } = createSchemas()
  const paths: Record<string, Record<string, object>> = {}
  for (const { name, endpoint } of described) {
    const operation = (endpoint.jsonRpc ? toRpcOperation : toOperation)(toSchema, name, endpoint)
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation,
      ...(endpoint.jsonRpc ? unusedMethods(toSchema, name, endpoint) : {}),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Noema',
      version: 'v1',
      summary: 'Knowledge stores for AI agents: reviewable writes and one ordered stream of events.',
      description: 'Whatever is read by GET can be asked for by HEAD, which answers the same status and headers.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        session: { type: 'apiKey', in: 'cookie', name: 'noema.session_token' },
      },
      responses: {
        Error: {
          description: 'An error, by kind',
          headers: errorHeaders,
          content: { 'application/json': { schema: toSchema(errorBody, 'output') } },
        },
      },
    },
  }
}
