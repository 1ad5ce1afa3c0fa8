import { expect, test } from 'vitest'
import { type Answered, createBrain, type TestBrain } from '../test/app.ts'
import { useApp } from '../test/harness.ts'
import { confirmAddress } from '../test/organizations.ts'

const app = useApp({ NOEMA_UNVERIFIED_BRAINS: '2', NOEMA_UNVERIFIED_DAILY_WRITES: '3' })

const unverified = () => createBrain(app, 'first', { verified: false })
const put = ({ key }: TestBrain, handle: string) => app.request('PUT', `/v1/brains/${handle}`, { key })
const write = (brain: TestBrain) => brain.call('POST', '/records', { kind: 'note' })
const makeBatch = (size: number) => ({ operations: Array(size).fill({ op: 'record.create', kind: 'note' }) })
const setTier = (brain: TestBrain, tier: string) =>
  app.database.pool.query('update organization set tier = $1 where id = $2', [tier, brain.organizationId])

const secondsLeftToday = () => {
  const now = app.clock.now().getTime()
  return Math.ceil((86_400_000 - (now % 86_400_000)) / 1000)
}

/** That an answer is 429 and says to come back when the UTC day ends. */
const expectSpent = (answer: Answered, code: string) => {
  expect(answer).toMatchObject({ status: 429, body: { error: { kind: 'rate_limited', code } } })
  expect(Math.abs(Number(answer.headers.get('retry-after')) - secondsLeftToday())).toBeLessThanOrEqual(2)
}

test('AUT-12 SUR-04 an unverified account has its number of Brains; one more is 429 until the UTC day ends', async () => {
  const brain = await unverified()
  expect((await put(brain, 'second')).status).toBe(201)
  expectSpent(await put(brain, 'third'), 'brain_cap')
  expect((await put(brain, 'second')).status).toBe(200)
  await app.request('DELETE', '/v1/brains/second', { key: brain.key })
  expect((await put(brain, 'third')).status).toBe(201)
})

test('AUT-12 confirming the address lifts the cap on Brains at once', async () => {
  const brain = await unverified()
  await put(brain, 'second')
  expectSpent(await put(brain, 'third'), 'brain_cap')
  await confirmAddress(app, brain)
  expect((await put(brain, 'third')).status).toBe(201)
})

test('AUT-12 twenty Brains asked for at once are as many as the cap allows', async () => {
  const brain = await unverified()
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => put(brain, `brain-${index}`)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(19)
})

test('AUT-12 SUR-04 an unverified account writes its number of operations a day; one more is 429 and writes nothing', async () => {
  const brain = await unverified()
  expect((await brain.call('POST', '/batch', makeBatch(2))).status).toBe(200)
  expectSpent(await brain.call('POST', '/batch', makeBatch(2)), 'write_cap')
  expect((await write(brain)).status).toBe(201)
  expectSpent(await write(brain), 'write_cap')
  const { body } = await brain.call('GET', '/records')
  expect(body.data.records).toHaveLength(3)
})

test('AUT-12 every Brain of an organization counts towards its daily writes, and a Brain key spends them too', async () => {
  const brain = await unverified()
  await put(brain, 'second')
  await brain.call('POST', '/batch', makeBatch(2))
  const elsewhere = () => app.request('POST', '/v1/brains/second/records', { key: brain.key, body: { kind: 'note' } })
  expect((await elsewhere()).status).toBe(201)
  expectSpent(await elsewhere(), 'write_cap')
  const key = await brain.mintKey(['write'])
  expectSpent(await brain.call('POST', '/records', { kind: 'note' }, { key }), 'write_cap')
})

test('AUT-12 of ten writes at once exactly as many land as the day has left', async () => {
  const brain = await unverified()
  const answers = await Promise.all(Array.from({ length: 10 }, () => write(brain)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
})

test('AUT-12 confirming the address lifts the cap on writes at once, and reads were never capped', async () => {
  const brain = await unverified()
  await brain.call('POST', '/batch', makeBatch(3))
  expectSpent(await write(brain), 'write_cap')
  expect((await brain.call('GET', '/records')).status).toBe(200)
  await confirmAddress(app, brain)
  expect((await write(brain)).status).toBe(201)
})

test('AUT-12 the next UTC day begins with no writes spent', async () => {
  const brain = await unverified()
  await brain.call('POST', '/batch', makeBatch(3))
  expectSpent(await write(brain), 'write_cap')
  app.clock.advance({ seconds: secondsLeftToday() + 1 })
  expect((await brain.call('POST', '/batch', makeBatch(3))).status).toBe(200)
  expectSpent(await write(brain), 'write_cap')
})

test('AUT-12 D-18 the staff tier has no cap, verified or not', async () => {
  const brain = await unverified()
  await setTier(brain, 'staff')
  expect((await brain.call('POST', '/batch', makeBatch(20))).status).toBe(200)
  for (const handle of ['second', 'third', 'fourth']) expect((await put(brain, handle)).status).toBe(201)
})

test('AUT-12 D-18 an unverified account has the smallest caps whatever its tier', async () => {
  const brain = await unverified()
  await setTier(brain, 'business')
  expectSpent(await brain.call('POST', '/batch', makeBatch(4)), 'write_cap')
})
