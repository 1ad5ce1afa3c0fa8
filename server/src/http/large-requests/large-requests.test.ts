import { expect, test } from 'vitest'
import { addBrain } from '../../test/app.ts'
import { useBrain, useOwnApp } from '../../test/harness.ts'

const app = useOwnApp()
const brain = useBrain(app)

const long = 'What a document says. '.repeat(20_000)

/** The number of connections of the worker for large requests. */
const countConnections = async (): Promise<number> => {
  const { rows } = await app.database.pool.query(
    `select count(*)::int as count from pg_stat_activity
     where application_name = 'noema large requests' and datname = current_database()`,
  )
  return rows[0].count
}

test('a small request is answered on the main thread, and no other one is started for it', async () => {
  expect((await brain.call('POST', '/documents', { text: 'Short.' })).status).toBe(201)
  expect(await countConnections()).toBe(0)
})

const record = (text: string, more: object = {}) => ({ kind: 'note', fields: { text }, ...more })

test.each([
  ['POST', '/records', record],
  ['PUT', '/records/put', record],
  ['PATCH', '/records/put', (text: string) => ({ fields: { more: text } })],
  ['POST', '/documents', (text: string) => ({ id: 'document', text, metadata: { n: 1 } })],
  ['POST', '/batch', (text: string) => ({ operations: [{ op: 'record.create', ...record(text) }] })],
  ['POST', '/statements', (text: string) => ({ subject: 's', predicate: 'p', object: { value: 1 }, padding: text })],
  ['POST', '/query', (text: string) => ({ kind: 'note', limit: 1, padding: text })],
] as const)('%s %s is answered alike on the thread for large requests', async (method, below, toBody) => {
  const other = await addBrain(app, brain, `other-${below.replaceAll('/', '-')}-${method}`.toLowerCase())
  for (const text of ['Short.', long]) {
    for (const one of [brain, other]) if (method === 'PATCH') await one.call('PUT', '/records/put', record('Before.'))
    const [small, large] = [
      await other.call(method, below, toBody('Short.')),
      await brain.call(method, below, toBody(text)),
    ]
    expect([large.status, large.body.error?.message]).toEqual([small.status, small.body.error?.message])
    expect(Object.keys(large.body.data ?? {})).toEqual(Object.keys(small.body.data ?? {}))
    const names = [
      'vary',
      'content-type',
      'cache-control',
      'ratelimit-policy',
      'ignored-fields',
      'x-content-type-options',
    ]
    for (const name of names) expect([name, large.headers.get(name)]).toEqual([name, small.headers.get(name)])
  }
  expect(await countConnections()).toBeGreaterThan(0)
})

test('a large write is made once for an idempotency key, on any thread', async () => {
  const headers = { 'idempotency-key': 'large-once' }
  const write = () => brain.call('POST', '/records', record(long), { headers })
  const [first, second] = [await write(), await write()]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  const other = await brain.call('POST', '/records', record('Short.'), { headers })
  expect(other.status).toBe(409)
})

test('an error in a large request has its path, and the dropped names of the request', async () => {
  await brain.call('PUT', '/records/matched', record('First.'))
  const stale = await brain.call('PUT', '/records/matched', record(long), { headers: { 'if-match': '"7"' } })
  expect(stale).toMatchObject({ status: 409, body: { error: { code: 'stale_version' } } })
  const match = await brain.call('PUT', '/records/matched', record(long), { headers: { 'if-match': 'seven' } })
  expect(match.body.error.details[0].path).toBe('If-Match')
  const wrong = await brain.call('POST', '/documents', { text: long, title: 1, undeclared: true })
  expect(wrong.body.error).toMatchObject({ kind: 'validation', details: [{ path: 'body.title' }] })
  const refused = await brain.call('POST', '/records', { ...record(long, { undeclared: 1 }), kind: 'no such kind!' })
  expect(refused.status).toBe(400)
  const dropped = await brain.call('POST', '/records', record(long, { undeclared: 1 }))
  expect([dropped.status, dropped.headers.get('ignored-fields')]).toEqual([201, 'undeclared'])
})

test('a large write waits for review where the Brain wants that', async () => {
  const reviewed = await addBrain(app, brain, 'reviewed')
  await reviewed.call('PATCH', '', { mode: 'review' })
  const staged = await reviewed.call('POST', '/documents', { text: long })
  expect([staged.status, staged.body.data.outcome]).toEqual([202, 'staged'])
})

test('a large write goes by the clock of its node, and wakes listeners of its Brain', async () => {
  app.clock.advance({ days: 40 })
  const woken = Promise.withResolvers<string>()
  const stop = app.app.deps.topics.subscribe('brain:', woken.resolve)
  const { body } = await brain.call('POST', '/records', record(long))
  const age = app.clock.now().getTime() - Date.parse(body.data.record.createdAt)
  expect(age).toBeGreaterThanOrEqual(-5)
  expect(age).toBeLessThan(3_600_000)
  await woken.promise
  stop()
})

test('a write of both sizes at once into one Brain loses nothing and leaves no gap', async () => {
  const both = await addBrain(app, brain, 'both')
  const writes = Array.from({ length: 24 }, (_, n) =>
    both.call('POST', '/records', record(n % 3 === 0 ? long : 'Short.')),
  )
  expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array(24).fill(201))
  const { stateVersion, records } = (await both.call('GET', '/records?limit=100')).body.data
  expect([stateVersion, records.length]).toEqual([24, 24])
})

test('a read whose last answer was large is answered on the thread for large requests, alike, until one is small', async () => {
  const pages = await addBrain(app, brain, 'pages')
  for (const n of [1, 2]) await pages.call('PUT', `/records/page-${n}`, record(long))
  const reads = [
    () => pages.call('GET', '/records'),
    () => pages.call('GET', '/records/page-1'),
    () => pages.call('POST', '/query', { kind: 'note', consumerId: 'reader' }),
  ]
  const withoutReceipt = ({ status, body }: { status: number; body: { data: object } }) => ({
    status,
    data: { ...body.data, receipt: undefined },
  })
  for (const read of reads) expect(withoutReceipt(await read())).toEqual(withoutReceipt(await read()))
  const head = await fetch(`${app.base}${pages.path}/records`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${pages.key}` },
  })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const wrong = await pages.call('GET', '/records?limit=none')
  expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, 'query.limit'])
  for (const n of [1, 2]) await pages.call('PUT', `/records/page-${n}`, record('Short.'))
  for (const read of reads) expect(withoutReceipt(await read())).toEqual(withoutReceipt(await read()))
})

test('a large answer is compressed as its caller asks, on either thread', async () => {
  const packed = await addBrain(app, brain, 'packed')
  await packed.call('PUT', '/records/one', record(long))
  for (const encoding of ['br', 'gzip', 'identity', 'br'])
    for (const time of ['first', 'second']) {
      const response = await fetch(`${app.base}${packed.path}/records`, {
        headers: { authorization: `Bearer ${packed.key}`, 'accept-encoding': encoding },
      })
      const { data } = (await response.json()) as { data: { records: { fields: { text: string } }[] } }
      expect([time, data.records[0]?.fields.text === long]).toEqual([time, true])
      expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
      expect(response.headers.get('vary')).toContain('accept-encoding')
    }
})

test('large bodies that arrive at once, one after the other and only in part are each read as they were sent', async () => {
  const texts = Array.from({ length: 12 }, (_, at) => `${String.fromCharCode(97 + at)} `.repeat(80_000 + at * 30_000))
  const giveUp = async (text: string) => {
    const leaving = new AbortController()
    const body = new ReadableStream({
      pull: (parts) => {
        parts.enqueue(Buffer.from(`{"text":"${text}`))
        leaving.abort()
      },
    })
    const headers = {
      authorization: `Bearer ${brain.key}`,
      'content-type': 'application/json',
      'content-length': '900000',
    }
    const sent = { method: 'POST', headers, body, signal: leaving.signal, duplex: 'half' } as RequestInit
    await expect(fetch(`${app.base}${brain.path}/documents`, sent)).rejects.toThrow()
  }
  for (const round of [1, 2, 3]) {
    await Promise.all(
      texts.flatMap((text, at) => [
        brain.call('POST', '/documents', { id: `text-${round}-${at}`, text }),
        giveUp('Never heard of. '.repeat(20_000)),
      ]),
    )
    for (const [at, text] of texts.entries()) {
      const { status, body } = await brain.call('GET', `/documents/text-${round}-${at}`)
      expect([at, status, body.data?.document?.text === text]).toEqual([at, 200, true])
    }
  }
})
