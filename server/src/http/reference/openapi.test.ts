import { endpoints } from '@noema/contracts/api.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { mcpEndpoints } from '@noema/contracts/mcp.ts'
import { openAiEndpoints } from '@noema/contracts/openai.ts'
import { getOpenApi } from '@noema/contracts/openapi.ts'
import { beforeAll, expect, test } from 'vitest'
import { useApp } from '../../test/harness.ts'

type Operation = {
  operationId: string
  summary: string
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  security: object[]
  requestBody?: { required: boolean; content: Record<string, { schema: object }> }
  responses: Record<string, { $ref?: string; description?: string; content?: object }>
}
type Written = Omit<Operation, 'security'> & Partial<Pick<Operation, 'security'>>
type Document = {
  openapi: string
  info: Record<string, unknown>
  servers: { url: string }[]
  paths: Record<string, Record<string, Written>>
  security: object[]
  components: { securitySchemes: Record<string, object> }
}

const app = useApp()
let document: Document
beforeAll(async () => {
  document = (await app.request('GET', '/v1/openapi.json')).body
})

type Parameter = Operation['parameters'][number]

/** An operation with its security requirements and parameters, also those that the document states once for many. */
const withShared = (operation: Written): Operation => ({
  ...{ ...operation, security: operation.security ?? document.security },
  parameters: operation.parameters.map((one) => ('$ref' in one ? (resolve(String(one.$ref)) as Parameter) : one)),
})

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation: withShared(operation) })),
  )

test('D-81 the OpenAPI document is public, 3.1, and names this API, its version and its server', async () => {
  const answer = await app.request('GET', '/v1/openapi.json')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toContain('application/json')
  expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\.\d+$/), info: { version: 'v1' } })
  expect(document.info.title).toBe('Noema')
  expect(document.servers).toEqual([{ url: 'http://noema.test' }])
})

test('D-81 D-13c the document has an entity tag for each encoding, and is not sent again to who has it', async () => {
  const tags = new Set<string>()
  for (const encoding of ['identity', 'gzip', 'br']) {
    const headers = { 'accept-encoding': encoding }
    const first = await fetch(`${app.base}/v1/openapi.json`, { headers })
    const etag = first.headers.get('etag') ?? ''
    tags.add(etag)
    await first.arrayBuffer()
    expect(first.headers.get('vary')).toBe('origin, accept-encoding')
    const again = await fetch(`${app.base}/v1/openapi.json`, { headers: { ...headers, 'if-none-match': etag } })
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0])
  }
  expect(tags.size).toBe(3)
})

const all: { name: string; endpoint: Endpoint }[] = [
  ...endpoints,
  { name: 'openapi', endpoint: getOpenApi },
  ...mcpEndpoints,
  ...openAiEndpoints,
]

test('D-81 its operations are exactly the endpoints, each under its own operationId', () => {
  const documented = operations().map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`)
  const declared = all.map(({ name, endpoint }) => `${name} ${endpoint.method.toLowerCase()} ${endpoint.path}`)
  expect(documented.sort()).toEqual(declared.sort())
  expect(new Set(operations().map(({ operation }) => operation.operationId)).size).toBe(all.length)
})

/** The part of the document that a JSON pointer names. */
const resolve = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], document)

const refsIn = (node: unknown): string[] => {
  if (node === null || typeof node !== 'object') return []
  return Object.entries(node).flatMap(([name, value]) =>
    name === '$ref' && typeof value === 'string' ? [value] : refsIn(value),
  )
}

test('D-81 every $ref resolves within the document', () => {
  const refs = [...new Set(refsIn(document))]
  expect(refs.length).toBeGreaterThan(0)
  expect(refs.filter((ref) => !ref.startsWith('#/') || resolve(ref) === undefined)).toEqual([])
})

test('D-81 every operation declares its path parameters, and only those', () => {
  for (const { path, operation } of operations()) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name, required }) => `${name} ${required}`)).toEqual(named.map((name) => `${name} true`))
  }
})

test('D-81 no operation has two parameters of one name and place, and each has a schema', () => {
  for (const { operation } of operations()) {
    const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name.toLowerCase()}`)
    expect(new Set(names).size).toBe(names.length)
    for (const { schema } of operation.parameters) expect(typeof schema).toBe('object')
  }
})

test('D-81 every operation has a summary, a described success, and the errors that it can answer', () => {
  for (const { path, operation } of operations()) {
    expect(operation.summary).not.toBe('')
    const statuses = Object.keys(operation.responses)
    expect(statuses.some((status) => status.startsWith('2'))).toBe(true)
    const isPublic = operation.security.length === 0
    const always = path === '/v1/openapi.json' ? ['400'] : ['429', '500', '503', ...(isPublic ? [] : ['401', '403'])]
    for (const status of [...always, ...(path.includes('{id}') ? ['404'] : [])]) expect(statuses).toContain(status)
    if (!path.includes('{') && isPublic) expect(statuses).not.toContain('404')
    for (const response of Object.values(operation.responses)) {
      const { description } = (response.$ref ? resolve(response.$ref) : response) as { description?: string }
      expect(description).toEqual(expect.any(String))
    }
  }
})

test('D-81 every security requirement names a scheme that the document has', () => {
  const schemes = Object.keys(document.components.securitySchemes)
  const named = operations().flatMap(({ operation }) => operation.security.flatMap(Object.keys))
  expect([...new Set(named)].filter((name) => !schemes.includes(name))).toEqual([])
})

test('D-81 SUR-07 strict bodies say so, and the endpoints that take a body document it', () => {
  for (const { name, endpoint } of all) {
    const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]
    const schema = operation?.requestBody?.content['application/json']?.schema as { additionalProperties?: boolean }
    expect(schema !== undefined).toBe(endpoint.body !== undefined)
    if (['keys.mint', 'brain.keys.mint'].includes(name)) expect(schema.additionalProperties).toBe(false)
  }
})
