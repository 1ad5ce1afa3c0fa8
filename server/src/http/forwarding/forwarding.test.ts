import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { connectClient } from '../../mcp/mcp-client.fixture.ts'
import { createLog } from '../../shared/log.ts'
import { addBrain, type TestBrain, testSecret } from '../../test/app.ts'
import { useBrain, useOwnApp } from '../../test/harness.ts'
import type { LargeCall } from '../large-requests/messages.ts'
import { countForwarded, metricsToken } from './count-forwarded.fixture.ts'
import { openListener } from './listener.ts'
import { nodeTls } from './node-tls.ts'

// Nodes that send the writes of a Brain to one of them. Real connections between nodes of this process.

const settings = { NOEMA_NODE_ADDRESS: '127.0.0.1:0', NOEMA_METRICS_TOKEN: metricsToken }
const app = useOwnApp(settings)
const first = useBrain(app)

type Node = { base: string; request: typeof app.request }

const findOthers = async (workers: typeof app.app.workers): Promise<void> => {
  for (const { name, run } of workers) if (name === 'find other nodes') await run()
}

let made = 0
/** A Brain whose writes a node sends to another one; `countSent` counts them. */
const findForwarded = async (away: Node, countSent = () => countForwarded(away)): Promise<TestBrain> => {
  let found: TestBrain | undefined
  const search = async () => {
    const before = await countSent()
    const tried = await addBrain(app, first, `forwarded-${made++}`)
    await away.request('PUT', `${tried.path}/records/probe`, { key: tried.key, body: { kind: 'probe' } })
    if ((await countSent()) > before) found = tried
    return found !== undefined
  }
  await expect.poll(search).toBe(true)
  return found as unknown as TestBrain
}

const startOther = async (more: Record<string, string> = {}) => {
  const other = await app.startNode({ ...settings, ...more })
  await expect.poll(async () => (await listAddresses()).length).toBe(2)
  await findOthers(app.app.workers)
  await findOthers(other.workers)
  return other
}

const listAddresses = async (): Promise<string[]> => {
  const { rows } = await app.database.pool.query(
    'select address from nodes where address is not null order by started_at',
  )
  return rows.map(({ address }) => address)
}

/** The events of a Brain. Brains with the same writes have the same, if nothing was written twice. */
const listTypes = async ({ path, key }: TestBrain): Promise<string[]> =>
  (await app.request('GET', `${path}/events`, { key })).body.data.events.map(({ type }: { type: string }) => type)

test('SCL-01 a write is answered alike by the node of its Brain and by another one', async () => {
  const other = await startOther()
  const brain = await findForwarded(other)
  const calls = [
    ['PUT', '/records/r', { kind: 'note', fields: { n: 1 }, unknown: 1 }, { 'idempotency-key': 'one' }],
    ['PUT', '/records/r', { kind: 'note', fields: { n: 1 }, unknown: 1 }, { 'idempotency-key': 'one' }],
    ['PUT', '/records/r', { kind: 'other' }, { 'idempotency-key': 'one' }],
    ['PATCH', '/records/r', { fields: { n: 2 } }, { 'if-match': '"7"' }],
    ['PATCH', '/records/r', { fields: { n: 2 } }, { 'if-match': '"1"' }],
    ['POST', '/records', { kind: 'note', unknown: 1 }, { prefer: 'handling=strict' }],
    ['POST', '/records', { kind: 7 }, {}],
    ['POST', '/batch', { operations: [{ op: 'record.put', id: 'b', kind: 'note' }] }, {}],
    ['POST', '/documents', { id: 'd', text: 'A document.' }, {}],
    ['DELETE', '/records/r', undefined, {}],
    ['DELETE', '/records/never', undefined, {}],
  ] as const
  const names = [
    'content-type',
    'ignored-fields',
    'idempotent-replayed',
    'preference-applied',
    'ratelimit-policy',
    'vary',
    'etag',
  ]
  const callAll = async (node: Node, path: string) => {
    const answers = []
    for (const [method, below, body, headers] of calls) {
      const answer = await node.request(method, path + below, { key: brain.key, headers, ...(body && { body }) })
      const fields = names.map((name) => answer.headers.get(name))
      answers.push([method, answer.status, answer.body.error ?? Object.keys(answer.body.data), ...fields])
    }
    return answers
  }
  const before = await countForwarded(other)
  const forwarded = await callAll(other, brain.path)
  expect(await countForwarded(other)).toBe(before + calls.length)
  // `app` has both Brains, and answers calls about this one itself.
  const alike = await findForwarded(other)
  const sentBack = await countForwarded(app)
  expect(forwarded).toEqual(await callAll(app, alike.path))
  expect(await countForwarded(app)).toBe(sentBack)
  expect(await listTypes(brain)).toEqual(await listTypes(alike))
  await other.close()
})

const writing: readonly [tool: string, given: object][] = [
  ['knowledge_write', { operations: [{ op: 'record.put', id: 'r', kind: 'note' }], idempotencyKey: 'one' }],
  ['knowledge_write', { operations: [{ op: 'record.put', id: 'r', kind: 'note' }], idempotencyKey: 'one' }],
  ['knowledge_write', { operations: [{ op: 'record.put', id: 's', kind: 'note' }], idempotencyKey: 'one' }],
  ['knowledge_write', { operations: [{ op: 'record.create', id: 's', kind: 'note' }] }],
  ['knowledge_write', { operations: [{ op: 'record.eat' }] }],
  ['knowledge_merge', { id: 's', into: 'never' }],
  ['knowledge_changes', { action: 'comment', id: 'never', text: 'Why?' }],
]
const reading: readonly [tool: string, given: object][] = [
  ['knowledge_read', { action: 'get_record', id: 'r' }],
  ['knowledge_changes', {}],
  ['knowledge_changes', { action: 'eat', id: 'r' }],
  ['knowledge_search', { q: 'knowledge_write', mode: 'lexical' }],
]

test.each(['newest', '2025'] as const)(
  'SCL-01 D-55 a tool that writes is answered alike by the node of its Brain and by another one, and reads stay (%s revision)',
  async (revision) => {
    const other = await startOther()
    const brain = await findForwarded(other)
    const alike = await findForwarded(other)
    const callAll = async (node: Node, { path, key }: TestBrain, calls: typeof writing) => {
      const tools = await connectClient(node, { key, path: `${path}/mcp`, revision })
      const before = await countForwarded(node)
      const answers = []
      for (const [name, given] of calls) {
        const { isError = false, structuredContent, content } = await tools.call(name, given)
        const data = isError ? structuredContent : Object.keys(Object(structuredContent))
        answers.push([name, isError, data, content.length])
      }
      await tools.close()
      return { answers, sent: (await countForwarded(node)) - before }
    }
    const written = await callAll(other, brain, writing)
    expect(written.sent).toBe(writing.length)
    expect(await callAll(app, alike, writing)).toEqual({ ...written, sent: 0 })
    const read = await callAll(other, brain, reading)
    expect(read.sent).toBe(0)
    expect(await callAll(app, alike, reading)).toEqual(read)
    expect(await listTypes(brain)).toEqual(await listTypes(alike))
    await other.close()
  },
)

test('SCL-01 D-08 a forwarded write that needs much content is made once, by the node that received it', async () => {
  const other = await startOther()
  const brain = await findForwarded(other)
  const ids = Array.from({ length: 12 }, (_, n) => `record-${n}`)
  for (const id of ids)
    await brain.call('PUT', `/records/${id}`, { kind: 'note', fields: { text: 'x'.repeat(100_000) } })
  const operations = ids.map((id) => ({ op: 'record.patch', id, fields: { n: 1 } }))
  const { status, body } = await other.request('POST', `${brain.path}/batch`, { key: brain.key, body: { operations } })
  expect(status).toBe(200)
  const listVersions = (results: { version: number }[]) => results.map(({ version }) => version)
  expect(listVersions(body.data.results)).toEqual(ids.map(() => 2))
  const tools = await connectClient(other, { key: brain.key, path: `${brain.path}/mcp` })
  const again = operations.map((operation) => ({ ...operation, fields: { n: 2 } }))
  expect(listVersions((await tools.get('knowledge_write', { operations: again })).results)).toEqual(ids.map(() => 3))
  await tools.close()
  await other.close()
})

test('SCL-02 a node that closes answers what it was sent, and the others go on without it', async () => {
  const other = await startOther()
  const brain = await findForwarded(app)
  let isClosing = true
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    const statuses: number[] = []
    for (let n = 0; isClosing || n < 20; n++)
      statuses.push((await brain.call('PUT', `/records/w${writer}-${n}`, { kind: 'k' })).status)
    return statuses
  })
  await expect.poll(() => countForwarded(app)).toBeGreaterThan(20)
  await other.close()
  isClosing = false
  const statuses = (await Promise.all(writers)).flat()
  expect(new Set(statuses)).toEqual(new Set([201]))
  const { records } = (await brain.call('GET', '/records?kind=k&limit=500')).body.data
  expect(records.length).toBe(Math.min(500, statuses.length))
})

/** A node that takes calls, and stops before it answers them. */
const startStopping = async (): Promise<LargeCall[]> => {
  const taken: LargeCall[] = []
  const answer = async (call: LargeCall) => {
    taken.push(call)
    throw new Error('It stops.')
  }
  const parts = { answer, tls: nodeTls(testSecret), log: createLog('silent') }
  const { port, close } = await openListener({ host: '127.0.0.1', port: 0 }, parts)
  const { pool } = app.database
  const { rows } = await pool.query(
    `insert into nodes (id, version, roles, address, started_at, seen_at, workers)
     select gen_random_uuid(), version, roles, $1, started_at, seen_at + interval '1 hour', workers from nodes limit 1
     returning id`,
    [`127.0.0.1:${port}`],
  )
  await findOthers(app.app.workers)
  onTestFinished(async () => {
    await pool.query('delete from nodes where id = $1', [rows[0]?.id])
    await findOthers(app.app.workers)
    await close()
  })
  return taken
}

test('SCL-02 IDM-04 a tool call that another node leaves open is made here, once, if it has an idempotency key, and else refused', async () => {
  const taken = await startStopping()
  const countTaken = async () => taken.length
  const brain = await findForwarded(app, countTaken)
  const tools = await connectClient(app, { key: brain.key, path: `${brain.path}/mcp` })
  const write = (id: string, more: object = {}) =>
    tools.call('knowledge_write', { operations: [{ op: 'record.put', id, kind: 'note', fields: { id } }], ...more })
  // Until it is connected again, calls do not go to the other node.
  const untilTaken = async (send: (id: string) => Promise<unknown>): Promise<string[]> => {
    const ids: string[] = []
    const goal = taken.length + 1
    const sendNext = async () => {
      const id = `r${goal}-${ids.length}`
      ids.push(id)
      await send(id)
      return taken.length
    }
    await expect.poll(sendNext).toBeGreaterThanOrEqual(goal)
    return ids
  }
  const keyed = await untilTaken(async (id) => {
    for (let repeat = 0; repeat < 2; repeat++) expect((await write(id, { idempotencyKey: id })).isError).not.toBe(true)
  })
  let refusal: unknown
  const unkeyed = await untilTaken((id) =>
    write(id).catch((error: unknown) => {
      refusal = error
    }),
  )
  expect(String(refusal)).toContain('The write may have been made. Read the Brain')
  const { records } = (await brain.call('GET', '/records?kind=note&limit=500')).body.data
  const made = records.map(({ id, version }: { id: string; version: number }) => [id, version])
  expect(made.sort()).toEqual([...keyed, ...unkeyed.slice(0, -1)].map((id) => [id, 1]).sort())
  expect(JSON.stringify(taken.map(({ request }) => request.headers))).not.toContain(brain.key)
  await tools.close()
})

const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('error', () => undefined)
    socket.once('close', () => resolve())
  })

test('SCL-03 only nodes with the same secret are heard: others are refused before they say anything', async () => {
  const [address = ''] = await listAddresses()
  const port = Number(address.split(':')[1])
  const stranger = connectTls({ host: '127.0.0.1', port, ...nodeTls('another secret of another service').client })
  let isConnected = false
  stranger.once('secureConnect', () => {
    isConnected = true
  })
  await untilClosed(stranger)
  expect(isConnected).toBe(false)
  const plain = connect({ host: '127.0.0.1', port })
  plain.write('GET / HTTP/1.1\r\n\r\n')
  await untilClosed(plain)
  // A node that sends a malformed message loses its own connection, and no other node does.
  const broken = connectTls({ host: '127.0.0.1', port, ...nodeTls(testSecret).client })
  await once(broken, 'secureConnect')
  broken.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 1]))
  await untilClosed(broken)
  expect((await first.call('POST', '/records', { kind: 'k' })).status).toBe(201)
})

test('a node whose address is not of its machine does not start, and says which setting is wrong', async () => {
  await expect(app.startNode({ ...settings, NOEMA_NODE_ADDRESS: '192.0.2.1:4101' })).rejects.toThrow(
    /^NOEMA_NODE_ADDRESS=192\.0\.2\.1:4101 cannot be used: .*EADDRNOTAVAIL/,
  )
})

test('SCL-03 a node sends nothing to nodes of another version', async () => {
  const other = await startOther()
  await findForwarded(app)
  await app.database.pool.query(`update nodes set version = '0.0.1' where address = $1`, [(await listAddresses())[1]])
  await findOthers(app.app.workers)
  const before = await countForwarded(app)
  for (let n = 0; n < 8; n++) {
    const brain = await addBrain(app, first, `version-${n}`)
    expect((await brain.call('POST', '/records', { kind: 'k' })).status).toBe(201)
  }
  expect(await countForwarded(app)).toBe(before)
  await other.close()
})
