import { endpoints } from '@noema/contracts/api.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { errorBody, errorStatus } from '@noema/contracts/errors.ts'
import { exportLine } from '@noema/contracts/exports.ts'
import { mcp } from '@noema/contracts/mcp.ts'
import { z } from 'zod'

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' })
  return rest
}

const headerParameter = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const parametersOf = (endpoint: Endpoint) => {
  const query = endpoint.query ? jsonSchema(endpoint.query, 'input') : undefined
  const properties = (query?.properties ?? {}) as Record<string, object>
  return [
    ...[...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
    ...(endpoint.idempotencyKey === 'header'
      ? [headerParameter('Idempotency-Key', 'A repeat with the same key and body gets the first answer.')]
      : []),
    ...(endpoint.ifMatch ? [headerParameter('If-Match', 'The version that must be current, in quotes.')] : []),
    ...(endpoint.access === 'session' ? [headerParameter('x-organization-id', 'The organization to act in.')] : []),
  ]
}

const securityOf = ({ access }: Endpoint) => {
  if (access === 'public') return []
  if (access === 'session') return [{ session: [] }]
  return [{ bearer: [] }, { apiKey: [] }, ...(access === 'anyone' ? [{ session: [] }] : [])]
}

const responsesOf = (endpoint: Endpoint) => {
  const data = jsonSchema(endpoint.result, 'output')
  const lines = { 'application/x-ndjson': { schema: data } }
  const wrapped = { type: 'object', required: ['data'], properties: { data } }
  const json = {
    'application/json': { schema: endpoint.jsonRpc ? data : wrapped },
    ...(endpoint.tail || endpoint.jsonRpc ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
  }
  const content = endpoint.ndjson === 'answer' ? lines : json
  const successes = endpoint.status.map((status) => [String(status), { description: 'Success', content }])
  const failure = { $ref: '#/components/responses/Error' }
  const failures = Object.values(errorStatus).map((status) => [String(status), failure])
  return Object.fromEntries([...successes, ...failures])
}

const operationOf = (name: string, endpoint: Endpoint) => ({
  operationId: name,
  summary: endpoint.summary,
  tags: [name.includes('.') ? name.split('.').slice(0, -1).join('.') : 'general'],
  parameters: parametersOf(endpoint),
  security: securityOf(endpoint),
  ...(endpoint.ndjson === 'body'
    ? {
        requestBody: {
          required: true,
          content: { 'application/x-ndjson': { schema: jsonSchema(exportLine, 'input') } },
        },
      }
    : {}),
  ...(endpoint.body
    ? {
        requestBody: {
          required: !endpoint.bodyOptional,
          content: { 'application/json': { schema: jsonSchema(endpoint.body, 'input') } },
        },
      }
    : {}),
  responses: responsesOf(endpoint),
})

// Not in the API's tree: a client of its own protocol speaks with it, not the SDK.
const documented = [...endpoints, { name: 'brain.mcp', endpoint: mcp }]

/** The OpenAPI 3.1 document of every endpoint, made from the contracts. */
export const openApiDocument = (serverUrl: string) => {
  const paths: Record<string, Record<string, object>> = {}
  for (const { name, endpoint } of documented) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operationOf(name, endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Noema',
      version: 'v1',
      summary: 'Knowledge stores for AI agents: reviewable writes and one ordered stream of events.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        session: { type: 'apiKey', in: 'cookie', name: 'noema.session_token' },
      },
      responses: {
        Error: {
          description: 'An error, by kind',
          content: { 'application/json': { schema: jsonSchema(errorBody, 'output') } },
        },
      },
    },
  }
}
