import { Agent } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { type Answered, createBrain, type TestBrain } from '../../test/app.ts'
import { useOwnApp } from '../../test/harness.ts'
import { rawRequest } from '../../test/raw-request.ts'

const settings = {
  NOEMA_TIERS: JSON.stringify({
    free: { rate: { perSecond: 2, burst: 5 } },
    unverified: { rate: { perSecond: 1, burst: 3 } },
  }),
  NOEMA_ORGANIZATION_RATE_FACTOR: '3',
  NOEMA_ADDRESS_RATE: '1/4',
  NOEMA_FAILURE_RATE: '2/4',
}
const ample = { perSecond: 1000, burst: 1000 }
const generous = {
  NOEMA_TIERS: JSON.stringify({ free: { rate: ample }, unverified: { rate: ample } }),
  NOEMA_ADDRESS_RATE: '1000/1000',
}
// Accounts and keys are made on a node that has time for it.
const app = useOwnApp(generous)

const startStrict = () => app.startNode(settings)
type Node = Awaited<ReturnType<typeof startStrict>>

const whoami = ({ request }: Pick<Node, 'request'>, key?: string) =>
  request('GET', '/v1/whoami', key === undefined ? {} : { key })

/** Sends so many requests one after the other. */
const send = async (node: Pick<Node, 'request'>, count: number, key?: string): Promise<Answered[]> => {
  const answers: Answered[] = []
  for (let sent = 0; sent < count; sent++) answers.push(await whoami(node, key))
  return answers
}
const statuses = (answers: readonly Answered[]) => answers.map(({ status }) => status)

const runShare = async ({ workers }: Pick<Node, 'workers'>) => {
  await workers.find(({ name }) => name === 'share rates')?.run()
}

const prepare = async (): Promise<{ brain: TestBrain; node: Node }> => {
  app.clock.hold()
  const brain = await createBrain(app)
  // Shares the uses of the setup now, not in the middle of a test: a bucket of the generous node holds more than a strict one.
  await app.app.deps.rates.share()
  return { brain, node: await startStrict() }
}

test('SUR-04 D-09 a key sends so many requests at once and so many a second, and its answers say what is left and when to come back', async () => {
  const { brain, node } = await prepare()
  const [first, ...rest] = await send(node, 6, brain.key)
  expect(first?.status).toBe(200)
  expect(first?.headers.get('ratelimit-policy')).toBe('"key";q=5;w=3, "organization";q=15;w=3')
  expect(first?.headers.get('ratelimit')).toBe('"key";r=4;t=1')
  expect(statuses(rest)).toEqual([200, 200, 200, 200, 429])
  const refused = rest.at(-1)
  expect(refused?.body.error).toMatchObject({ kind: 'rate_limited', message: expect.stringContaining('this key') })
  expect(refused?.headers.get('retry-after')).toBe('1')
  expect(refused?.headers.get('ratelimit')).toBe('"key";r=0;t=1')
  app.clock.advance({ seconds: Number(refused?.headers.get('retry-after')) })
  expect(statuses(await send(node, 3, brain.key))).toEqual([200, 200, 429])
  await node.close()
})

test('D-09 all keys of an organization together have a limit too, and other organizations do not notice', async () => {
  const { brain, node } = await prepare()
  // All before the first is used: what the organization has left, the node that mints hears of, too.
  const mint = () => brain.mintKey(['read'])
  const [fourth, ...keys] = [await mint(), await mint(), await mint(), brain.key]
  for (const key of keys) expect(statuses(await send(node, 5, key))).toEqual([200, 200, 200, 200, 200])
  const refused = await whoami(node, fourth)
  expect(refused).toMatchObject({ status: 429, body: { error: { message: expect.stringContaining('organization') } } })
  const other = await createBrain(app)
  expect((await whoami(node, other.key)).status).toBe(200)
  await node.close()
})

test.each([
  ['tells its length', 600],
  ['does not tell its length', 200],
])('D-09 a body that %s counts as a request for each 64 KiB of it', async (how, kibibytes) => {
  const { brain, node } = await prepare()
  const text = JSON.stringify({ text: 'x'.repeat(kibibytes * 1024) })
  const sent = await fetch(`${node.base}${brain.path}/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json' },
    body: how === 'tells its length' ? text : ReadableStream.from([Buffer.from(text)]),
    duplex: 'half',
  })
  expect(sent.status).toBe(201)
  const refused = await whoami(node, brain.key)
  expect(refused.status).toBe(429)
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(kibibytes === 600 ? 2 : 1)
  app.clock.advance({ seconds })
  expect((await whoami(node, brain.key)).status).toBe(200)
  await node.close()
})

test('D-09 an account with an unconfirmed address has the rate of its own', async () => {
  const { node } = await prepare()
  const brain = await createBrain(app, 'brain', { verified: false })
  expect(statuses(await send(node, 4, brain.key))).toEqual([200, 200, 200, 429])
  await node.close()
})

test('D-09 nodes share one count: requests of one count on the others, and requests beyond the limit are paid back', async () => {
  const { brain, node } = await prepare()
  const other = await startStrict()
  expect(statuses(await send(node, 5, brain.key))).toEqual([200, 200, 200, 200, 200])
  await runShare(node)
  // The other node has heard nothing of this key yet; it asks with the first request.
  expect((await whoami(other, brain.key)).status).toBe(200)
  await runShare(other)
  expect((await whoami(other, brain.key)).status).toBe(429)
  app.clock.advance({ seconds: 1 })
  expect(statuses(await send(other, 2, brain.key))).toEqual([200, 429])
  await runShare(other)
  await runShare(node)
  await Promise.all([node.close(), other.close()])
})

test('D-09 a report that a node sends twice at once counts once', async () => {
  const { brain, node } = await prepare()
  const other = await startStrict()
  await send(node, 3, brain.key)
  await Promise.all([runShare(node), runShare(node), runShare(node)])
  await whoami(other, brain.key)
  await runShare(other)
  expect(statuses(await send(other, 2, brain.key))).toEqual([200, 429])
  await Promise.all([node.close(), other.close()])
})

test('D-09 a node that cannot share goes on counting alone', async () => {
  const { brain, node } = await prepare()
  await app.database.pool.query('alter table rate_buckets rename to rate_buckets_away')
  await send(node, 2, brain.key)
  await expect(node.app.deps.rates.share()).rejects.toThrow()
  expect(statuses(await send(node, 4, brain.key))).toEqual([200, 200, 200, 429])
  await app.database.pool.query('alter table rate_buckets_away rename to rate_buckets')
  await node.app.deps.rates.share()
  expect((await whoami(node, brain.key)).status).toBe(429)
  await node.close()
})

test('D-09 guesses of keys are slowed by their address; keys that were let in before go on, and others soon', async () => {
  const { brain, node } = await prepare()
  const fresh = await brain.mintKey(['read'])
  expect((await whoami(node, brain.key)).status).toBe(200)
  const guess = (n: number) => `${brain.key.slice(0, -10)}${String(n).padStart(10, '0')}`
  const guesses: Answered[] = []
  for (let n = 0; n < 6; n++) guesses.push(await whoami(node, guess(n)))
  expect(statuses(guesses)).toEqual([401, 401, 401, 401, 429, 429])
  expect(guesses.at(-1)?.headers.get('retry-after')).toBe('1')
  expect((await whoami(node, brain.key)).status).toBe(200)
  expect((await whoami(node, fresh)).status).toBe(429)
  app.clock.advance({ seconds: 1 })
  expect((await whoami(node, fresh)).status).toBe(200)
  await node.close()
})

test('D-09 an address without a key has its own limit, which health and the pages of the console do not know', async () => {
  const { brain, node } = await prepare()
  expect(statuses(await send(node, 5))).toEqual([401, 401, 401, 401, 429])
  expect((await whoami(node, brain.key)).status).toBe(200)
  for (const path of ['/livez', '/readyz', '/v1/openapi.json'])
    for (let sent = 0; sent < 6; sent++) expect((await fetch(node.base + path)).status).toBe(200)
  await node.close()
  // Accounts of the tests that follow are made from this address.
  app.clock.advance({ seconds: 4 })
})

test('D-09 the addresses of one IPv6 network share their limits, as one machine has all of them', async () => {
  const node = await app.startNode({ ...settings, NOEMA_TRUSTED_PROXIES: '127.0.0.1,::1' })
  const callFrom = (address: string, key?: string) =>
    node.request('GET', '/v1/whoami', {
      headers: { 'x-forwarded-for': address },
      ...(key === undefined ? {} : { key }),
    })
  const answers: Answered[] = []
  for (let n = 1; n <= 5; n++) answers.push(await callFrom(`2001:db8:0:1::${n}`))
  for (let n = 1; n <= 5; n++) answers.push(await callFrom(`2001:db8:0:1:${n}::`, `nsk_${'a'.repeat(40)}`))
  expect(statuses(answers)).toEqual([401, 401, 401, 401, 429, 401, 401, 401, 401, 429])
  expect((await callFrom('2001:db8:0:2::1')).status).toBe(401)
  await node.close()
})

test('SUR-04 a refused caller that asks again at once is answered when the second is over, on the same connection', async () => {
  const { brain, node } = await prepare()
  await send(node, 5, brain.key)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${brain.key}` }
  const ask = () => rawRequest(node.base, { method: 'GET', path: '/v1/whoami', headers, agent })
  const began = performance.now()
  const answers = [await ask(), await ask()]
  expect(performance.now() - began).toBeGreaterThan(900)
  expect(answers.map(({ status, headers: { connection } }) => [status, connection])).toEqual([
    [429, 'keep-alive'],
    [429, 'keep-alive'],
  ])
  // Others do not wait for it, nor does the same client once it is let in.
  app.clock.advance({ seconds: 1 })
  expect((await ask()).status).toBe(200)
  agent.destroy()
  await node.close()
})

test('SUR-04 of requests that are sent without waiting for answers, one refusal is held, and the connection ends', async () => {
  const { brain, node } = await prepare()
  await send(node, 5, brain.key)
  const { hostname, port } = new URL(node.base)
  const asked = `GET /v1/whoami HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${brain.key}\r\n\r\n`
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(asked.repeat(1_000))
  const answers = Buffer.concat(await socket.toArray()).toString()
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 429'))
  expect(answers.match(/^connection: .*(?=\r)/gim)?.at(-1)).toBe('connection: close')
  await node.close()
})

test('SUR-04 a caller refused in the midst of its body receives the answer', async () => {
  const { brain, node } = await prepare()
  await send(node, 5, brain.key)
  const headers = { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json', connection: 'keep-alive' }
  const body = Buffer.alloc(15 * 1024 * 1024, ' ')
  const upload = await rawRequest(node.base, { method: 'POST', path: `${brain.path}/batch`, headers, body })
  expect(upload.status).toBe(429)
  expect(JSON.parse(upload.text).error.kind).toBe('rate_limited')
  await node.close()
})
