import { endpoints } from '@noema/contracts/api.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { evolve } from '../features/knowledge/schema/schema-app.fixture.ts'
import { leaveFor } from '../features/retrieval/receipts/receipt.fixture.ts'
import { signUp } from '../test/app.ts'
import { connectApp } from '../test/apps.ts'
import { useBrain, useOwnApp } from '../test/harness.ts'
import { fillAgentLists } from './agent-lists.fixture.ts'

// The promise of D-03 for every list of the contracts: reading it page by page, in either order, returns all of it.

// No work in the background: it would begin runs and attempts while their lists are read.
const app = useOwnApp({ NOEMA_ROLES: 'http' })
const brain = useBrain(app)
const count = 5
const numbers = Array.from({ length: count }, (_, index) => index)

const paths: Record<string, string> = { name: 'schema-0', source: 'wiki' }
const filled: Record<string, Record<string, string>> = {
  'brain.records.history': { id: 'r' },
  'brain.documents.versions': { id: 'd' },
}

/** A web source and a page of one, which nothing fetches meanwhile. */
const addWebPage = async (number: number) => {
  const values = [brain.brain.id, number === 0 ? 'wiki' : `web-${number}`, `https://pages.example.org/${number}`]
  await app.database.pool.query(
    `insert into web_sources (brain_id, name, id, revision, author, created_at, updated_at)
     select brain_id, $2, $2, 1, '{"type": "key", "id": "key_1"}', now(), now() from brains where id = $1`,
    values.slice(0, 2),
  )
  await app.database.pool.query(
    `insert into web_pages (brain_id, source, document_id, url) select brain_id, 'wiki', $2, $2 from brains where id = $1`,
    [values[0], values[2]],
  )
}

beforeAll(async () => {
  const { key, session } = brain
  const send = async (...request: Parameters<typeof app.request>) => {
    const answer = await app.request(...request)
    if (answer.status >= 300) throw new Error(`${request[1]}: ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }
  const call = (method: string, below: string, body: unknown) => send(method, brain.path + below, { key, body })
  const { add, paths: agentPaths } = await fillAgentLists(app, brain, send)
  Object.assign(filled, agentPaths)
  await evolve(brain, {
    ...{ op: 'addKind', kind: 'dated' },
    fields: [{ name: 'at', type: 'datetime', notifyBefore: ['P0D'] }],
  })
  for (const number of numbers) {
    await call('POST', '/records', { kind: 'dated', fields: { at: `2999-01-0${number + 1}T00:00:00Z` } })
    await add()
    await connectApp(app, brain)
    // Makes an organization and sends a mail.
    await signUp(app)
    await send('POST', '/v1/access-requests', { body: { email: `stranger-${number}@example.com` } })
    const expiresAt = new Date(app.clock.now().getTime() + 5 * 86_400_000).toISOString()
    await send('POST', '/v1/keys', { headers: session, body: { name: `key ${number}`, expiresAt } })
    await send('PUT', `/v1/brains/other-${number}`, { key, body: {} })
    await send('PUT', `/v1/brains/restricted-${number}`, { headers: session, body: { openTo: 'members' } })
    await send('PUT', `/v1/schemas/schema-${number}`, { key, body: { kinds: [] } })
    await send('PUT', `/v1/corpora/corpus-${number}`, { key, body: { parts: [{ brain: `other-${number}` }] } })
    const hook = { url: 'http://127.0.0.1:9/', events: ['knowledge.corrected'] }
    const { webhook } = await send('POST', '/v1/webhooks', { key, body: hook })
    filled['webhooks.deliveries'] ??= { id: webhook.id }
    await app.database.pool.query(
      `insert into organization_deliveries (id, webhook_id, event, body, state, created_at)
       values ($1, $2, 'knowledge.corrected', '{}', 'failed', now())`,
      [`dlv_${number}`, filled['webhooks.deliveries']?.id],
    )
    const own = await call('POST', '/webhooks', { url: 'http://127.0.0.1:9/', types: ['date.reached'] })
    filled['brain.webhooks.deliveries'] ??= { id: own.webhook.id }
    await app.database.pool.query(
      `insert into brain_webhook_deliveries (brain_id, webhook, slot, number, delivery)
       select brain_id, $1, $2::integer, $2::integer, json_build_object('attempt', $2::integer) from brains where id = $3`,
      [filled['brain.webhooks.deliveries']?.id, number + 1, brain.brain.id],
    )
    await call('POST', '/keys', { name: `key ${number}`, capabilities: ['read'] })
    await call('PUT', '/records/r', { kind: 'thing', fields: { number } })
    const other = { kind: 'thing', fields: { [`field ${number}`]: number } }
    const { record } = await call('POST', '/records', other)
    const object = { record: { id: record.id, kind: 'thing' } }
    await call('POST', '/statements', { subject: { id: 'r', kind: 'thing' }, predicate: 'is', object })
    await call('POST', '/documents', { id: 'd', text: `version ${number}` })
    await call('POST', '/documents', { text: `text ${number}` })
    for (const path of ['versions', `file ${number}`]) {
      const { artifact } = await send('POST', `/v1/artifacts?path=${path}`, { key, body: { number } })
      filled['artifacts.versions'] ??= { id: artifact.id }
    }
    const text = `---\nname: skill-${number}\ndescription: Skill ${number}\n---\n`
    await call('PUT', `/skills/skill-${number}`, { files: [{ path: 'SKILL.md', text }] })
    const items = numbers.map((item) => ({ id: `item ${item}`, text: `text ${item}` }))
    const { snapshot } = await call('POST', '/sources/wiki/snapshots', { items, complete: true })
    filled['brain.snapshots.get'] ??= { snapshot: snapshot.snapshot }
    await addWebPage(number)
    await leaveFor(app, brain, { records: [{ id: 'r', version: 1 }] })
  }
})

const lists = endpoints.filter(({ endpoint }) => endpoint.list !== undefined)
type Query = Record<string, string | number>

const readPage = (name: string, { method, path, access }: Endpoint, query: Query) => {
  const parameters: Record<string, string> = { handle: 'brain', ...paths, ...filled[name] }
  const at = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(parameters[part] ?? ''))
  const isForPeople = access === 'session' || access === 'account'
  const as = isForPeople ? { headers: brain.session } : { key: brain.key }
  if (method === 'POST') return app.request(method, at, { ...as, body: { kind: 'thing', ...query } })
  return app.request(method, `${at}?${new URLSearchParams(query as Record<string, string>)}`, as)
}

const readAll = async (name: string, endpoint: Endpoint, query: Query): Promise<unknown[]> => {
  const all: unknown[] = []
  let after: Query = {}
  for (;;) {
    const { status, body } = await readPage(name, endpoint, { ...query, ...after })
    expect(status, JSON.stringify(body)).toBe(200)
    all.push(...body.data[endpoint.list ?? ''])
    if (!body.data.hasMore) return all
    after = { after: body.data.cursor }
  }
}

/** Sizes of pages that end inside of a list, at its end and, of a short list, after each item. */
const toPageSizes = ({ length }: readonly unknown[]): number[] => [
  ...(length <= 6 ? [1] : []),
  ...[Math.ceil(length / 3), length],
]

// The stream has one order, which the specification gives it.
const ordered = lists.filter(({ endpoint }) => endpoint.tail !== true)

test.each(lists)('D-03 $name: pages of any size make the whole list', async ({ name, endpoint }) => {
  const whole = await readAll(name, endpoint, { limit: 500 })
  expect(whole.length).toBeGreaterThanOrEqual(count)
  for (const limit of toPageSizes(whole)) expect(await readAll(name, endpoint, { limit })).toEqual(whole)
})

describe.each(ordered)('$name', ({ name, endpoint }) => {
  test('D-03 order=desc is the same list backwards, in pages of any size', async () => {
    const whole = await readAll(name, endpoint, { limit: 500, order: 'asc' })
    for (const limit of [...toPageSizes(whole), 500])
      expect(await readAll(name, endpoint, { limit, order: 'desc' })).toEqual(whole.toReversed())
  })

  test('D-54b a cursor continues in its own order alone', async () => {
    for (const [order, other] of [
      ['asc', 'desc'],
      ['desc', 'asc'],
    ] as const) {
      const { body } = await readPage(name, endpoint, { limit: 1, order })
      const crossed = await readPage(name, endpoint, { limit: 1, order: other, after: body.data.cursor })
      expect(crossed.status).toBe(400)
      expect(crossed.body.error.message).toContain('not a cursor of this list')
    }
  })
})

test.each(lists)('D-03 $name refuses an order that it does not have', async ({ name, endpoint }) => {
  expect((await readPage(name, endpoint, { order: 'newest' })).status).toBe(400)
})
