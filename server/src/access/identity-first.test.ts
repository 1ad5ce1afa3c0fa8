import { beforeAll, expect, test } from 'vitest'
import { newToken } from '../features/accounts/keys/token.ts'
import { type Answered, createMember } from '../test/app.ts'
import { allEndpoints } from '../test/endpoints/all.ts'
import { useBrain, useOwnApp } from '../test/harness.ts'
import { sampleCall } from '../test/sample-calls.ts'

// A caller without permission learns only that, and nothing about other errors of the request.

const app = useOwnApp()
const brain = useBrain(app)
let callers: Record<string, Record<string, string>>
beforeAll(async () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const stranger = await createMember(app)
  const organization = brain.session['x-organization-id'] ?? ''
  const { 'x-organization-id': _left, ...unnamed } = brain.session
  callers = {
    nobody: {},
    'an unknown key': bearer(newToken('nsk')),
    "another organization's key": bearer(stranger.key),
    "another organization's session": stranger.session,
    'a session in an organization not its own': { ...stranger.session, 'x-organization-id': organization },
    'a session in no organization': unnamed,
    'a management key': bearer(brain.key),
  }
  for (const capability of ['read', 'write', 'review', 'admin'])
    callers[`a Brain key with ${capability}`] = bearer(await brain.mintKey([capability]))
  await app.request('PUT', '/v1/brains/other', { key: brain.key })
  const body = { name: 'other', capabilities: ['read', 'write', 'review', 'admin'] }
  const other = await app.request('POST', '/v1/brains/other/keys', { key: brain.key, body })
  callers['the key of another Brain'] = bearer(other.body.data.secret)
})

type Sent = { path: string; body?: string; headers: Record<string, string> }
const json = { 'content-type': 'application/json' }

/** A request as it should be, and others that are wrong in every way that is looked at later. */
const spoil = (method: string, { path, body, headers }: Sent): Sent[] => {
  const wrongQuery = {
    path: `${path}${path.includes('?') ? '&' : '?'}undeclared=1`,
    headers,
    ...(body ? { body } : {}),
  }
  if (method === 'GET') return [wrongQuery, { path: `${path.split('?')[0]}?limit=x&after=y`, headers }]
  return [
    wrongQuery,
    ...['[]', '{'].map((wrong) => ({
      path,
      headers: { ...headers, ...json },
      body: wrong,
    })),
    { path, headers: { ...headers, 'content-type': 'text/plain' }, body: 'x' },
    {
      path,
      headers: { ...headers, ...json, 'if-match': 'x', 'idempotency-key': ' ', prefer: 'handling=strict' },
      body: 'x',
    },
  ]
}

const tooLarge = ({ path, headers }: Sent): Sent[] => [
  { path, headers: { ...headers, ...json }, body: 'x'.repeat(17 * 1024 * 1024) },
]

/** Checks whether an answer is about the caller and the Brain. Other missing things are looked up later. */
const isAboutCaller = ({ status, body }: Answered, path: string): boolean =>
  [401, 403].includes(status) ||
  (status === 404 && path.startsWith('/v1/brains/')) ||
  (status === 400 && body.error.message.startsWith('Name the organization'))

test.each(allEndpoints)('D-04 $name checks the caller before it checks the request', async ({ name, endpoint }) => {
  const { method } = endpoint
  const { path, body, headers = {} } = await sampleCall(app, brain, { name, endpoint })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const right: Sent = { path, headers: { ...(text ? json : {}), ...headers }, ...(text ? { body: text } : {}) }
  const missing = { ...right, path: path.replace('/brains/brain', '/brains/none') }
  for (const [caller, identity] of Object.entries(callers))
    for (const asked of caller === 'a management key' ? [missing] : [right]) {
      const send = (sent: Sent) =>
        app.request(method, sent.path, { ...sent, headers: { ...sent.headers, ...identity } })
      // An admitted caller has no error here, so the call is not made.
      const isLetIn = asked === right && caller === 'a management key'
      if (isLetIn) continue
      const expected = await send({ ...asked, path: asked.path })
      if (!isAboutCaller(expected, path)) continue
      const wrong = spoil(method, asked)
      const told = await Promise.all([...wrong, ...(name === 'brain.batch' ? tooLarge(asked) : [])].map(send))
      const statuses = told.map(({ status, body: refused }) => [status, refused?.error?.message])
      expect({ caller, statuses }).toEqual({
        caller,
        statuses: statuses.map(() => [expected.status, expected.body.error.message]),
      })
    }
})
