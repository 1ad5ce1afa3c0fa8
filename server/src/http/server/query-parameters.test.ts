import { endpoints } from '@noema/contracts/api.ts'
import { expect, test } from 'vitest'
import { useBrain, useOwnApp } from '../../test/harness.ts'
import { readState, sampleCall, sampleCredential } from '../../test/sample-calls.ts'

const app = useOwnApp()
const brain = useBrain(app)

type Named = (typeof endpoints)[number]

const send = async ({ name, endpoint }: Named, query: string) => {
  const { method, path, body, headers } = await sampleCall(app, brain, { name, endpoint })
  const who = { ...sampleCredential(endpoint, brain), ...headers }
  const before = await readState(app, brain)
  // A sample may have parameters of its own.
  const joined = `${path}${path.includes('?') ? '&' : '?'}${query}`
  const answer = await app.request(method, joined, { headers: who, ...(body === undefined ? {} : { body }) })
  return { answer, before, after: await readState(app, brain) }
}

const declared = ({ endpoint }: Named): string[] => Object.keys(endpoint.query?.shape ?? {})

test.each(endpoints)(
  'SUR-06 $name refuses an undeclared query parameter by name, lists those that it accepts, and does nothing',
  async (named) => {
    const { answer, before, after } = await send(named, 'no_such_parameter=1')
    expect(answer).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
    const { message } = answer.body.error
    expect(message).toContain('"no_such_parameter"')
    for (const name of declared(named)) expect(message).toMatch(new RegExp(`\\b${name}\\b`))
    if (declared(named).length === 0) expect(message).toContain('accepts none')
    expect(after).toEqual(before)
  },
)

const lists = endpoints.filter(({ endpoint }) => endpoint.query !== undefined)

test.each(lists)('SUR-06 $name names every undeclared parameter, beside declared ones', async (named) => {
  const [first = ''] = declared(named)
  const { answer } = await send(named, `${first}=1&Limit=1&handle=x`)
  expect(answer.status).toBe(400)
  expect(answer.body.error.message).toContain('"Limit", "handle"')
})

test.each([
  ['in other letters', 'LIMIT=1'],
  ['without a value', 'unknown'],
  ['with an empty name', '=1'],
  ['like an array', 'limit[]=1'],
  ['like an object', 'limit[a]=1'],
  ['named __proto__', '__proto__=1'],
  ['named constructor', 'constructor=1'],
])('SUR-06 a parameter %s is undeclared', async (_case, query) => {
  const answer = await app.request('GET', `/v1/brains?${query}`, { key: brain.key })
  expect(answer).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
})

test('SUR-06 a declared parameter that is given twice is 400', async () => {
  const answer = await app.request('GET', '/v1/brains?limit=1&limit=2', { key: brain.key })
  expect(answer).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
})

test('SUR-06 the credential comes first: without one, an undeclared parameter is 401', async () => {
  expect((await app.request('GET', '/v1/brains?unknown=1')).status).toBe(401)
})
