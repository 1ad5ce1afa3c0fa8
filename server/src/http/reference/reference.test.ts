import { endpoints } from '@noema/contracts/api.ts'
import { allCodes } from '@noema/contracts/endpoint-errors.ts'
import { errorCodes } from '@noema/contracts/error-codes.ts'
import { expect, test } from 'vitest'
import { isJsonObject } from '../../shared/text/json.ts'
import { areas } from './areas.ts'
import { openApiDocument } from './openapi.ts'

// The reference of the API, read by someone who has nothing else.

type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters: object[]
  responses: Record<string, object>
}
const document = JSON.parse(JSON.stringify(openApiDocument('http://noema.test'))) as {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, Record<string, unknown>>>
  'x-noema-error-codes': object
}
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

/** Visits every object of the document but what is an example. */
const visit = (node: unknown, path: string, see: (one: Record<string, unknown>, path: string) => void): void => {
  if (Array.isArray(node)) for (const [index, one] of node.entries()) visit(one, `${path}/${index}`, see)
  if (!isJsonObject(node)) return
  see(node, path)
  for (const [name, value] of Object.entries(node)) if (name !== 'example') visit(value, `${path}/${name}`, see)
}

test('D-81 every operation, parameter, property and shared shape has a description', () => {
  const lacking = operations
    .filter(({ summary, description }) => !summary || !description)
    .map((one) => one.operationId)
  lacking.push(...endpoints.filter(({ endpoint }) => !endpoint.description).map(({ name }) => name))
  visit(document, '', ({ properties, in: place, name, description }, path) => {
    if (typeof place === 'string' && typeof name === 'string' && !description) lacking.push(path)
    if (isJsonObject(properties))
      // A shared shape, which is tested below, describes the properties that refer to it.
      for (const [property, schema] of Object.entries(properties))
        if (isJsonObject(schema) && !schema.description && !schema.$ref) lacking.push(`${path}/${property}`)
  })
  for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
    if (!schema.description) lacking.push(name)
  expect(lacking).toEqual([])
})

test('D-81 no description of a property promises null where null is refused or never answered', () => {
  const wrong: string[] = []
  visit(document, '', ({ properties }, path) => {
    if (!isJsonObject(properties)) return
    for (const [name, schema] of Object.entries(properties)) {
      if (!isJsonObject(schema) || !/\bnull\b/.test(String(schema.description))) continue
      const { description, ...rest } = schema
      if (!JSON.stringify(rest).includes('"null"')) wrong.push(`${path}/${name}: ${description}`)
    }
  })
  expect(wrong).toEqual([])
})

test('D-81 a date-time that must end in Z says so, and one that may have an offset does not', () => {
  const patterns = new Map<string, unknown>()
  for (const { operationId, ...operation } of operations)
    visit(operation, operationId, ({ format, pattern }, path) => {
      if (format === 'date-time' && /parameters|requestBody/.test(path)) patterns.set(path, pattern)
    })
  const ending = [...patterns].filter(([, pattern]) => pattern === 'Z$').map(([path]) => path.split('/')[0])
  expect([...new Set(ending)].sort()).toEqual(['activity', 'admin.invitationCodes.create'])
})

test('D-81 every operation says who may call it, in words and as data', () => {
  for (const one of operations) {
    expect(one.description).toMatch(/Needs |Anyone may call it/)
    expect(one).toHaveProperty(['x-noema-access', 'caller'])
  }
})

test('D-81 the document says which property holds a list, how large a body may be, and where an idempotency key goes', () => {
  const byName = new Map(operations.map((one) => [one.operationId, one as Record<string, unknown>]))
  const said = endpoints.map(({ name }) => [
    name,
    ...['list', 'body-limit', 'idempotency-key'].map((what) => byName.get(name)?.[`x-noema-${what}`]),
  ])
  const declared = endpoints.map(({ name, endpoint }) => [
    name,
    ...[endpoint.list, endpoint.bodyLimit, endpoint.idempotencyKey],
  ])
  expect(said).toEqual(declared)
})

test('D-81 every operation belongs to an area that is described, and no area is empty', () => {
  const used = new Set(operations.flatMap(({ tags }) => tags))
  expect([...used].sort()).toEqual(areas.map(({ name }) => name).sort())
  for (const { tags } of operations) expect(tags).toHaveLength(1)
  for (const { description } of document.tags) expect(description).not.toBe('')
})

test('D-81 every number of a query has its minimum, and every limit its maximum and default', () => {
  const numbers: string[] = []
  visit(document, '', ({ in: place, name, schema }) => {
    if (place !== 'query' || !isJsonObject(schema) || schema.type !== 'integer') return
    numbers.push(String(name))
    expect(schema.minimum, String(name)).toEqual(expect.any(Number))
    if (name === 'limit') expect(schema).toMatchObject({ maximum: expect.any(Number), default: expect.any(Number) })
  })
  expect(numbers).toContain('limit')
})

test('D-03 D-81 answers may have more than is documented, but for activity, whose shape is fixed', () => {
  const closed: string[] = []
  visit(document, '', (node, path) => {
    if (
      node.additionalProperties === false &&
      /^\/(paths\/.*\/responses|components\/schemas\/(?!\w*Input\b))/.test(path)
    )
      closed.push(path)
  })
  const sentOnly = [
    'AgentLimits',
    'ContextMessage',
    'RecordBody',
    'NewRecord',
    'RecordPatch',
    'NewStatement',
    'NewDocument',
    'AgentDefinition',
  ]
  const answered = closed.filter((path) => !sentOnly.some((name) => path.startsWith(`/components/schemas/${name}`)))
  expect(answered.filter((path) => !path.startsWith('/components/schemas/ActivityOperation'))).toEqual([])
  expect(answered.length).toBeGreaterThan(0)
})

test('D-04 D-81 every code of the catalogue is answered by an operation, under its kind, and the document says what it means', () => {
  const codes = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap((response) => {
      const { $ref } = response as { $ref?: string }
      const component = document.components.responses?.[$ref?.split('/').at(-1) ?? '']
      return (component?.['x-noema-codes'] as string[] | undefined) ?? []
    }),
  )
  expect([...new Set(codes)].sort()).toEqual([...allCodes].sort())
  expect(document['x-noema-error-codes']).toEqual(errorCodes)
})

test('D-04 D-81 every operation on something that its path names says that it may not be there', () => {
  const silent = Object.entries(document.paths).flatMap(([path, methods]) =>
    path.includes('{')
      ? Object.values(methods).flatMap(({ operationId, responses }) => (responses[404] ? [] : operationId))
      : [],
  )
  expect(silent).toEqual([])
})

test('D-81 every operation that the SDK has is documented', () => {
  const documented = operations.map(({ operationId }) => operationId)
  expect(endpoints.filter(({ name }) => !documented.includes(name))).toEqual([])
})

test('D-81 the document stays small enough to be read by programs: below 3,800 bytes per operation', () => {
  expect(JSON.stringify(document).length / operations.length).toBeLessThan(3_800)
})

test('D-81 a union whose alternatives differ by the text of a field names that field, and the shape of each text', () => {
  const { schemas = {} } = document.components
  const mappings = Object.entries(schemas).flatMap(([name, schema]) =>
    isJsonObject(schema.discriminator) ? [[name, schema.discriminator] as const] : [],
  )
  expect(mappings.map(([name]) => name).sort()).toEqual([
    ...['ActivityOperation', 'BrainEvent', 'EvalGrader', 'MessagePart', 'Operation'],
    ...['SchemaOperation', 'SchemaOperationInput', 'SearchReason'],
  ])
  for (const [, { propertyName, mapping }] of mappings)
    for (const [text, shape] of Object.entries(mapping as Record<string, string>))
      expect(schemas[shape.split('/').at(-1) ?? '']).toMatchObject({
        properties: { [String(propertyName)]: { const: text } },
      })
})
