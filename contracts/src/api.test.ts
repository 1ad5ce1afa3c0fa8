import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoints } from './api.ts'
import { isObject } from './json.ts'

// The public surface, pinned: whoever changes the API meets this test and accepts the change on purpose (vitest -u).

type Schema = { [name: string]: unknown }

/** A JSON Schema in fewer lines: an object's properties by name (`?` where optional), anything small on one line. */
const outline = ({ type, properties, required, additionalProperties, ...rest }: Schema): unknown => {
  if (isObject(properties)) {
    const needed = Array.isArray(required) ? required : []
    const shown = Object.entries(properties).map(([name, schema]) => [
      needed.includes(name) ? name : `${name}?`,
      isObject(schema) ? outline(schema) : schema,
    ])
    const strict = additionalProperties === false ? [] : [['…', additionalProperties ?? true]]
    return Object.fromEntries([...shown, ...strict])
  }
  const choices = rest.anyOf ?? rest.oneOf
  if (Array.isArray(choices)) return { anyOf: choices.map((choice) => outline(choice)) }
  if (isObject(rest.items)) return { listOf: outline(rest.items), ...bounds(rest, ['minItems', 'maxItems']) }
  const { description, ...rules } = rest
  const values = isObject(additionalProperties) ? { values: outline(additionalProperties) } : {}
  const text = JSON.stringify({ ...rules, ...values })
  return `${type ?? 'any'}${text === '{}' ? '' : ` ${text}`}`
}

const bounds = (schema: Schema, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => name in schema).map((name) => [name, schema[name]]))

const makeOutline = (schema: z.ZodType | undefined, io: 'input' | 'output') => {
  if (schema === undefined) return undefined
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' })
  return outline(rest)
}

test('endpoints have unique names, and no two share a method and path', () => {
  expect(new Set(endpoints.map(({ name }) => name)).size).toBe(endpoints.length)
  const calls = endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(new Set(calls).size).toBe(endpoints.length)
})

test.each(endpoints)('the contract of $name changes on purpose only', ({ endpoint }) => {
  const { method, path, access, status, list, tail, sse, bodyLimit, bodyOptional, idempotencyKey, ifMatch } = endpoint
  expect({
    call: `${method} ${path}`,
    access: JSON.stringify(access),
    status: status.join(' '),
    takes: JSON.stringify({ list, tail, sse, bodyLimit, bodyOptional, idempotencyKey, ifMatch }),
    query: makeOutline(endpoint.query, 'input'),
    body: makeOutline(endpoint.body, 'input'),
    result: makeOutline(endpoint.result, 'output'),
  }).toMatchSnapshot()
})
