import { expect, test } from 'vitest'
import { endpoints } from './api.ts'

// docs/openapi.json pins the rest: a check fails when the contracts change and the document does not.

test('endpoints have unique names, and no two share a method and path', () => {
  expect(new Set(endpoints.map(({ name }) => name)).size).toBe(endpoints.length)
  const calls = endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(new Set(calls).size).toBe(endpoints.length)
})
