import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { DueKey } from '../shared/concurrency/leased-work.ts'
import { useLeasedTable } from './leased-table.fixture.ts'

const { clock, add, rows, startNode } = useLeasedTable()

test('a published key is leased at once, its rows get a turn each, and the outcomes of turns are stored', async () => {
  const node = startNode()
  await add('a', 2)
  await add('b', 1)
  node.publish('a')
  const turns = await node.running(2)
  expect(turns.map(({ row }) => row.id).toSorted()).toEqual(['a-0', 'a-1'])
  const settled = await Promise.all(turns.map(({ row, turn }) => turn.storeOutcome({ result: `did ${row.id}` })))
  expect(settled).toEqual([true, true])
  expect((await rows()).map(({ results }) => results)).toEqual([['did a-0'], ['did a-1'], []])
})

test('a turn whose outcome cannot be stored blocks no other', async () => {
  const node = startNode()
  await add('a', 2)
  node.publish('a')
  const [bad, good] = await node.running(2)
  const settled = await Promise.allSettled([
    bad?.turn.storeOutcome({ result: 'no \0' }),
    good?.turn.storeOutcome({ result: 'done' }),
  ])
  expect(settled).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: true }])
  expect((await rows()).flatMap(({ results }) => results)).toEqual(['done'])
})

test('an organization alone uses half of a node, and one that comes begins at once', async () => {
  const node = startNode()
  await add('hog', 200)
  await node.engine.run()
  expect(node.listTurns('hog')).toHaveLength(5)
  await add('late', 200)
  node.publish('late')
  await node.running(3, 'late')
  expect(node.listTurns()).toHaveLength(8)
  await add('latest', 1)
  node.publish('latest')
  await node.running(1, 'latest')
  expect(node.engine.turns()).toMatchObject({ running: 9 })
  expect(node.engine.backoff.health()).toMatchObject({ consecutiveFailures: 0 })
})

test('organizations that come together share a node evenly, and leave room for another', async () => {
  const node = startNode()
  for (const organization of ['a', 'b', 'c']) await add(organization, 50)
  await node.engine.run()
  const turns = ['a', 'b', 'c'].map((organization) => node.listTurns(organization).length)
  expect(turns.toSorted()).toEqual([2, 3, 3])
})

test('no organization has more turns than one may, so many at once still leave room for one that comes', async () => {
  const node = startNode({ maxTurns: 20, maxTurnsOfOrganization: 3 })
  const crowd = ['a', 'b', 'c', 'd', 'e']
  for (const organization of crowd) await add(organization, 30)
  await node.engine.run()
  expect(crowd.map((organization) => node.listTurns(organization).length)).toEqual(Array(5).fill(3))
  await add('late', 30)
  node.publish('late')
  await node.running(3, 'late')
  // When a turn of the crowd ends, its key continues with the next turn, and no more.
  const [turn] = node.listTurns('a')
  await turn?.turn.storeOutcome({ result: 'done' })
  turn?.end()
  await node.running(3, 'a')
  expect(node.listTurns()).toHaveLength(18)
})

test('rows beyond a share are leased as turns end, without a notification or another poll', async () => {
  const node = startNode()
  await add('a', 23)
  node.publish('a')
  const done = new Set<string>()
  while (done.size < 23) {
    const [running] = await node.running(1)
    if (!running) throw new Error('nothing runs')
    await running.turn.storeOutcome({ result: 'done' })
    done.add(running.row.id)
    // The row is done: it is due no more before its lease would end.
    running.end()
  }
  expect((await rows()).every(({ results }) => results.length === 1)).toBe(true)
})

test('the earliest due goes first', async () => {
  const node = startNode({ maxTurns: 2 })
  await add('a', 1, 1)
  clock.advance({ seconds: 1 })
  await add('a', 1, 0)
  node.publish('a')
  const [first] = await node.running(1)
  expect(first?.row.id).toBe('a-1')
  first?.end()
  const [second] = await node.running(1)
  expect(second?.row.id).toBe('a-0')
})

test('a commit on one node wakes another', async () => {
  const [writer, worker] = [startNode({ maxTurns: 0 }), startNode()]
  await add('a', 1)
  writer.publish('a')
  const [turn] = await worker.running(1)
  expect(turn?.row.id).toBe('a-0')
})

test('two nodes share due rows and lease no row twice', async () => {
  const nodes = [startNode({ maxTurns: 40 }), startNode({ maxTurns: 40 })]
  await add('a', 40)
  for (let look = 0; look < 3; look++) await Promise.all(nodes.map(({ engine }) => engine.run()))
  const ids = nodes.flatMap((node) => node.listTurns().map(({ row }) => row.id))
  expect(new Set(ids).size).toBe(40)
  expect(ids).toHaveLength(40)
})

test('a node that slept through its lease stores nothing any more, and the row is another node’s', async () => {
  const [slow, other] = [startNode(), startNode()]
  await add('a', 1)
  await slow.engine.run()
  const [late] = await slow.running(1)
  clock.advance({ seconds: 31 })
  await other.engine.run()
  const [taken] = await other.running(1)
  expect(await late?.turn.storeOutcome({ result: 'late' })).toBe(false)
  expect(await taken?.turn.storeOutcome({ result: 'taken' })).toBe(true)
  expect(await rows()).toEqual([{ id: 'a-0', results: ['taken'] }])
})

test('a turn that fails leaves its row until its lease ends', async () => {
  let runs = 0
  const node = startNode({
    run: async () => {
      runs++
      throw new Error('broken')
    },
  })
  await add('a', 1)
  await node.engine.run()
  await node.engine.run()
  expect(runs).toBe(1)
  clock.advance({ seconds: 31 })
  await node.engine.run()
  expect(runs).toBe(2)
  expect(node.engine.turns()).toMatchObject({ running: 0 })
})

test('a wake that comes while a turn runs is followed when it ends', async () => {
  const node = startNode({ maxTurns: 2 })
  await add('a', 1)
  node.publish('a')
  const [first] = await node.running(1)
  await add('a', 1, 1)
  node.publish('a')
  first?.end()
  const [second] = await node.running(1)
  expect(second?.row.id).toBe('a-1')
})

test('failing leasing is tried again after longer and longer waits, and loses no key', async () => {
  let isBroken = true
  const lease = vi.fn(async () => {
    if (isBroken) throw new Error('no database')
    return { rows: [], left: [] }
  })
  const node = startNode({ lease })
  await add('a', 1)
  await expect(node.engine.run()).rejects.toThrow('no database')
  await node.engine.run()
  node.publish('a')
  expect(lease).toHaveBeenCalledTimes(1)
  clock.advance({ seconds: 0.6 })
  await expect(node.engine.run()).rejects.toThrow('no database')
  clock.advance({ seconds: 0.6 })
  await node.engine.run()
  expect(lease).toHaveBeenCalledTimes(2)
  expect(node.engine.backoff.health()).toMatchObject({ consecutiveFailures: 2 })
  isBroken = false
  clock.advance({ seconds: 1 })
  await node.engine.run()
  expect(lease).toHaveBeenLastCalledWith(expect.objectContaining({ keys: ['a'] }))
  expect(node.engine.backoff.health()).toMatchObject({ consecutiveFailures: 0, lastSuccess: expect.any(Date) })
})

test('a thousand due keys of a hog do not hide another from the look by the clock', async () => {
  const node = startNode({ maxTurns: 10_000 })
  const asked: string[] = []
  const paged = startNode({
    lease: async ({ keys }) => {
      asked.push(...keys)
      return { rows: [], left: [] }
    },
    dueKeys: ({ now, after, limit }) => sql<DueKey>`
      select key, ${now}::timestamptz as "dueAt"
      from (select 'k' || lpad(number::text, 4, '0') as key from generate_series(0, 1000) as number) as hog
      where key > ${after ?? ''} order by key limit ${limit}`,
  })
  const looks: (string | undefined)[][] = []
  for (let look = 0; look < 3; look++) {
    await paged.engine.run()
    looks.push([asked[0], asked.at(-1)])
    asked.length = 0
  }
  expect(looks).toEqual([
    ['k0000', 'k0999'],
    ['k1000', 'k1000'],
    ['k0000', 'k0999'],
  ])
  expect(node.engine.turns().running).toBe(0)
})

test('a key without rows is not queried again at each notification, only after the next poll', async () => {
  const lease = vi.fn(async ({ keys }: { keys: readonly string[] }) => ({ rows: [], left: [], absent: keys }))
  const node = startNode({ lease })
  node.publish('a')
  await expect.poll(() => node.engine.turns().pending).toBe(0)
  node.publish('a')
  node.publish('a')
  expect(lease).toHaveBeenCalledTimes(1)
  await node.engine.run()
  expect(lease).toHaveBeenCalledTimes(2)
})

test('a node that stops cancels its turns, waits for them, and leases nothing more', async () => {
  const node = startNode()
  await add('a', 1)
  await node.engine.run()
  const [running] = await node.running(1)
  const stopped = node.engine.stop()
  expect(running?.turn.stopping.aborted).toBe(true)
  expect(await running?.turn.storeOutcome({ result: 'given back' })).toBe(true)
  running?.end(true)
  await stopped
  await add('a', 1, 1)
  node.publish('a')
  await node.engine.run()
  expect(node.listTurns()).toEqual([])
  expect((await rows())[0]).toEqual({ id: 'a-0', results: ['given back'] })
})
