import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoints } from './api.ts'

// The public surface, pinned: whoever changes the API meets this test and accepts the change on purpose (vitest -u).

const jsonSchema = (schema: z.ZodType | undefined, io: 'input' | 'output') => {
  if (schema === undefined) return undefined
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' })
  return rest
}

test('endpoints have unique names, and no two share a method and path', () => {
  expect(new Set(endpoints.map(({ name }) => name)).size).toBe(endpoints.length)
  const calls = endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(new Set(calls).size).toBe(endpoints.length)
})

test.each(endpoints)('the contract of $name changes on purpose only', ({ endpoint }) => {
  const { method, path, access, status, list, tail, bodyLimit, bodyOptional, idempotencyKey, ifMatch } = endpoint
  expect({
    call: `${method} ${path}`,
    access,
    status: status.join(' '),
    takes: { list, tail, bodyLimit, bodyOptional, idempotencyKey, ifMatch },
    query: jsonSchema(endpoint.query, 'input'),
    body: jsonSchema(endpoint.body, 'input'),
    result: jsonSchema(endpoint.result, 'output'),
  }).toMatchSnapshot()
})
