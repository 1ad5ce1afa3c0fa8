import { expect, test } from 'vitest'
import { notFound } from '../../../shared/errors.ts'
import { useBrainWork } from './use-brain-work.fixture.ts'

const { clock, addBrain, addWork, finish, turns, startNode, done, findDatabase } = useBrainWork()

test('a pass does the due work of every Brain, continues until nothing is left, and leaves no lease', async () => {
  const brains = [await addBrain('a'), await addBrain('b')]
  let isFirst = true
  const node = startNode(async (brainId) => {
    if (isFirst) {
      isFirst = false
      return 'unfinished'
    }
    return done(brainId)
  })
  await node.pass()
  expect(node.begun).toHaveLength(3)
  expect([...new Set(node.begun)].sort()).toEqual([...brains].sort())
  expect(await turns()).toEqual([])
  await node.stop()
})

test('two nodes never have a turn of one Brain at once', async () => {
  const brainId = await addBrain('a')
  const { promise: ending, resolve: end } = Promise.withResolvers<void>()
  const holder = startNode(async () => {
    await ending
    return done(brainId)
  })
  const passing = holder.pass()
  await expect.poll(() => holder.begun).toEqual([brainId])
  const other = startNode(done)
  await other.pass()
  expect(other.begun).toEqual([])
  end()
  await passing
  await addWork(brainId)
  await other.pass()
  expect(other.begun).toEqual([brainId])
  await holder.stop()
  await other.stop()
})

test('another node does the leased work of a dead node when the lease has expired', async () => {
  const brainId = await addBrain('a')
  const until = new Date(clock.now().getTime() + 30_000)
  await findDatabase().pool.query(
    `insert into brain_turns (brain_id, work, lease, due_at) values ($1, 'test', 'of one that died', $2)`,
    [brainId, until],
  )
  const node = startNode(done)
  await node.pass()
  expect(node.begun).toEqual([])
  clock.advance({ seconds: 31 })
  await node.pass()
  expect(node.begun).toEqual([brainId])
  expect(await turns()).toEqual([])
  await node.stop()
})

test('a turn that lasts keeps its lease by renewing it, and learns when it was lost', async () => {
  const brainId = await addBrain('a')
  const renewals: boolean[] = []
  const node = startNode(async (_brainId, { renew }) => {
    clock.advance({ seconds: 20 })
    renewals.push(await renew())
    await findDatabase().pool.query(`update brain_turns set lease = 'of another'`)
    renewals.push(await renew())
    return done(brainId)
  })
  await node.pass()
  expect(renewals).toEqual([true, false])
  // A valid lease of another node is not taken.
  expect(await turns()).toMatchObject([{ id: brainId, lease: 'of another' }])
  await node.stop()
})

test('failing work is tried with growing delays, delays no other, and shows in the health', async () => {
  const [broken, sound] = [await addBrain('a'), await addBrain('b')]
  let isBroken = true
  const node = startNode(async (brainId) => {
    if (brainId === broken && isBroken) throw new TypeError('broken')
    return done(brainId)
  })
  await node.pass()
  expect([...node.begun].sort()).toEqual([broken, sound].sort())
  expect(await turns()).toMatchObject([{ id: broken, lease: null, failures: 1 }])
  const attemptsUntil = async (seconds: number) => {
    node.begun.length = 0
    for (let passed = 0; passed < seconds; passed += 5) {
      clock.advance({ seconds: 5 })
      await node.pass()
    }
    return node.begun.length
  }
  // After 15 seconds, 30 and 60.
  expect(await attemptsUntil(120)).toBe(3)
  expect(node.health().lastError).toBe('TypeError')
  expect(node.health().consecutiveFailures).toBeGreaterThanOrEqual(3)
  isBroken = false
  expect(await attemptsUntil(120)).toBe(1)
  expect(await turns()).toEqual([])
  expect(node.health()).toMatchObject({ consecutiveFailures: 0, lastError: undefined })
  await node.stop()
})

test('blocked work waits in the same way without counting as a failure, and a deleted Brain does not wait', async () => {
  const [later, gone] = [await addBrain('a'), await addBrain('b')]
  const node = startNode(async (brainId) => {
    if (brainId === later) return 'later'
    await finish(brainId)
    throw notFound('This Brain does not exist; it was deleted.')
  })
  await node.pass()
  expect([...node.begun].sort()).toEqual([later, gone].sort())
  expect(await turns()).toMatchObject([{ id: later, failures: 1 }])
  expect(node.health()).toMatchObject({ consecutiveFailures: 0 })
  await node.stop()
})

test('many Brains of one organization leave room for one of another', async () => {
  const crowd: number[] = []
  for (let count = 0; count < 12; count++) crowd.push(await addBrain('crowd'))
  const { promise: ending, resolve: end } = Promise.withResolvers<void>()
  const node = startNode(async (brainId) => {
    if (crowd.includes(brainId)) await ending
    return done(brainId)
  })
  const passing = node.pass()
  await expect.poll(() => node.begun).toHaveLength(2)
  const other = await addBrain('other')
  await node.run()
  await expect.poll(() => node.begun.at(-1)).toBe(other)
  end()
  await passing
  expect(node.begun).toHaveLength(13)
  await node.stop()
})

test('a topic starts a turn at once; a search finds Brains whose notification was lost', async () => {
  const brainId = await addBrain('a')
  const node = startNode(done, { topic: 'test:' })
  node.topics.publish(`test:${brainId}`)
  await expect.poll(() => node.begun).toEqual([brainId])
  const overlooked = await addBrain('a')
  await node.pass()
  expect(node.begun).toEqual([brainId, overlooked])
  await node.stop()
})

test('a search for overlooked Brains covers a limited number, and all searches find each, wherever they start', async () => {
  const brains: number[] = []
  for (let count = 0; count < 5; count++) brains.push(await addBrain('many'))
  const { rows } = await findDatabase().pool.query('select count(*)::int as count from brains')
  const windows = Math.ceil(rows[0].count / 2)
  for (const share of [0, 0.5]) {
    for (const brainId of brains) await addWork(brainId)
    const node = startNode(done, { topic: 'test:', brainsPerSearch: 2 }, () => share)
    // Every tenth poll searches for overlooked Brains.
    const search = async () => {
      for (let polls = 0; polls < 10; polls++) await node.run()
    }
    await search()
    expect(node.begun.length).toBeLessThanOrEqual(2)
    for (let searches = 0; searches < windows + 2; searches++) await search()
    await expect.poll(() => [...node.begun].sort((a, b) => a - b)).toEqual(brains)
    await node.stop()
  }
})

test('while nothing can be done at all, nothing is leased', async () => {
  await addBrain('a')
  const node = startNode(done, { topic: 'test:', behind: async () => undefined })
  await node.pass()
  expect(node.begun).toEqual([])
  await node.stop()
})
