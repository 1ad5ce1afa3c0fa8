import { expect, test } from 'vitest'
import { useApp, useMember } from '../../test/harness.ts'

const app = useApp()
const member = useMember(app)

test.each([
  ['in other letters', 'LIMIT=1'],
  ['without a value', 'unknown'],
  ['with an empty name', '=1'],
  ['like an array', 'limit[]=1'],
  ['like an object', 'limit[a]=1'],
  ['named __proto__', '__proto__=1'],
  ['named constructor', 'constructor=1'],
])('SUR-06 a parameter %s is undeclared', async (_case, query) => {
  const answer = await app.request('GET', `/v1/brains?${query}`, { key: member.key })
  expect(answer).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
})

test('SUR-06 a declared parameter that is given twice is 400', async () => {
  const answer = await app.request('GET', '/v1/brains?limit=1&limit=2', { key: member.key })
  expect(answer).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
})

test('SUR-06 the credential comes first: without one, an undeclared parameter is 401', async () => {
  expect((await app.request('GET', '/v1/brains?unknown=1')).status).toBe(401)
})
