import { expect, test } from 'vitest'
import { addBrain } from '../test/app.ts'
import { useApp, useMember } from '../test/harness.ts'

// A refusal names the path of the refused part, even if no schema of a request contains its rule.

const app = useApp()
const member = useMember(app)

type Sent = { method?: string; path: string; body?: unknown; headers?: Record<string, string> }

const toStatement = (validFrom: string, validTo: string) => ({
  ...{ subject: { id: 'one', kind: 'thing' }, predicate: 'lasts', object: { value: 1 } },
  ...{ validFrom, validTo },
})

/** A path of the answer's details, and the request that is refused for its value there. */
const refusals: [place: string, sent: Sent][] = [
  ['query.after', { path: '/records?after=OTHER' }],
  ['query.after', { path: '/events?after=OTHER' }],
  ['query.after', { path: '/statements?after=nonsense' }],
  ['body.after', { path: '/query', body: { kind: 'thing', after: 'nonsense' } }],
  ['Last-Event-ID', { path: '/events', headers: { accept: 'text/event-stream', 'last-event-id': 'OTHER' } }],
  ['Last-Event-ID', { path: '/v1/runs/any/stream', headers: { 'last-event-id': 'nonsense' } }],
  ['query.timezone', { path: '/v1/activity/days?timezone=Nowhere' }],
  ['query.from', { path: '/v1/activity/days?from=2026-02-02&to=2026-02-01' }],
  ['query.from', { path: '/v1/activity/days?from=2000-01-01&to=2026-02-01' }],
  ['query.asOf', { path: '/records?asOf=999' }],
  ['query.asOf', { path: '/records/one?asOf=999' }],
  ['query.asOf', { path: '/search?q=word&mode=lexical&asOf=999' }],
  ['body.query', { path: '/context', body: { query: ' ' } }],
  ['body.messages', { path: '/context', body: { messages: [{ role: 'user', content: ' ' }] } }],
  ['body.validTo', { path: '/statements', body: toStatement('2026-02-02T00:00:00Z', '2026-02-01T00:00:00Z') }],
  [
    'body.operations.0.validTo',
    {
      path: '/batch',
      body: {
        operations: [{ op: 'statement.assert', ...toStatement('2026-02-02T00:00:00Z', '2026-02-01T00:00:00Z') }],
      },
    },
  ],
  ['body', { method: 'POST', path: '/records' }],
  ['body', { path: '/records', body: '{' }],
  ['body', { path: '/records', body: `${'['.repeat(70)}${']'.repeat(70)}` }],
  ['body', { path: '/records', body: JSON.stringify({ kind: 'x'.repeat(1_100_000) }) }],
  ['Content-Type', { path: '/records', body: '{}', headers: { 'content-type': 'text/plain' } }],
  ['Content-Type', { path: '/records', body: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } }],
  ['Content-Type', { path: '/import', body: '{}', headers: { 'content-type': 'application/json' } }],
  ['Idempotency-Key', { path: '/records', body: { kind: 'thing' }, headers: { 'idempotency-key': 'a b' } }],
]

/** A value that a test fills in: a cursor of another Brain's list. */
const other = 'OTHER'

test('SUR-06 D-04 a refused part of a request has its path in details, next to the message', async () => {
  const [brain, stranger] = [await addBrain(app, member, 'places'), await addBrain(app, member, 'other')]
  for (const id of ['one', 'two']) await stranger.call('PUT', `/records/${id}`, { kind: 'thing' })
  await brain.call('PUT', '/records/one', { kind: 'thing' })
  const { cursor } = (await stranger.call('GET', '/records?limit=1')).body.data
  const found: unknown[] = []
  for (const [, { path, body, headers, method = body === undefined ? 'GET' : 'POST' }] of refusals) {
    const filled = Object.entries(headers ?? {}).map(([name, value]) => [name, value.replace(other, cursor)])
    const whole = path.startsWith('/v1/') ? path : `${brain.path}${path.replace(other, cursor)}`
    const answer = await app.request(method, whole, {
      ...{ key: member.key, headers: Object.fromEntries(filled) },
      ...(body === undefined ? {} : { body }),
    })
    const { kind, message, details = [] } = answer.body?.error ?? {}
    const last = details.at(-1)
    found.push([kind, { ...last, message: String(message).endsWith(last?.message) ? 'reported' : message }])
  }
  expect(found).toEqual(refusals.map(([place]) => ['validation', { path: place, message: 'reported' }]))
})
