import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brainTopic, organizationTopic, type Topic } from '../shared/concurrency/topics.ts'
import { createLog } from '../shared/log.ts'
import { createTestDatabase } from '../test/database.ts'
import { openTopicChannel, toPayloads, toTopics } from './topic-channel.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** A channel that listens already. */
const openChannel = async () => {
  const heard: Topic[] = []
  const channel = openTopicChannel(database.db, database.url, createLog('silent'))
  channel.listen((topic) => heard.push(topic))
  await expect
    .poll(async () => {
      await database.pool.query(`select pg_notify('noema_topics', 'test:listening')`)
      return heard
    })
    .toContain('test:listening')
  heard.length = 0
  return { channel, heard, others: () => heard.filter((topic) => topic !== 'test:listening') }
}

test('topics of every kind reach another node, and none comes back to its sender', async () => {
  const [near, far] = [await openChannel(), await openChannel()]
  const topics = [brainTopic(7), organizationTopic('o'), brainTopic(8), 'run:a' as const]
  await near.channel.send(topics)
  await expect.poll(() => far.others().sort()).toEqual([...topics].sort())
  await far.channel.send(['run:after'])
  await expect.poll(near.others).toEqual(['run:after'])
  await near.channel.close()
  await far.channel.close()
})

test('more topics than one notification holds all arrive', async () => {
  const [{ channel }, { channel: far, others }] = [await openChannel(), await openChannel()]
  const topics = Array.from({ length: 3_000 }, (_, brain) => brainTopic(1_000_000_000 + brain))
  await channel.send(topics)
  await expect.poll(() => new Set(others()).size).toBe(3_000)
  await channel.close()
  await far.close()
})

test('a node of the version before hears of Brains by their bare numbers, and is heard', async () => {
  const { channel, others } = await openChannel()
  const before = new pg.Client({ connectionString: database.url })
  await before.connect()
  const payloads: string[] = []
  before.on('notification', ({ payload = '' }) => payloads.push(payload))
  await before.query('listen noema_wakes')
  await channel.send([organizationTopic('o'), brainTopic(7), brainTopic(8)])
  await expect.poll(() => payloads).toEqual(['7,8'])
  await before.query(`select pg_notify('noema_wakes', '9,10')`)
  await expect.poll(others).toEqual(expect.arrayContaining([brainTopic(9), brainTopic(10)]))
  await before.end()
  await channel.close()
})

test('a connection that is lost is made again', async () => {
  const { channel, heard } = await openChannel()
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen %'`,
  )
  heard.length = 0
  await expect
    .poll(async () => {
      await database.pool.query(`select pg_notify('noema_wakes', '7')`)
      return heard
    })
    .toContain(brainTopic(7))
  await channel.close()
})

test('names are joined to texts that fit, counted in bytes; one too long for any is left out', () => {
  expect(toPayloads(['a', 'b'], ',')).toEqual(['a,b'])
  expect(toPayloads([], ',')).toEqual([])
  const long = 'ü'.repeat(3_000)
  expect(toPayloads([long, 'a', long, 'x'.repeat(8_000), 'b'], '\n')).toEqual([`${long}\na`, `${long}\nb`])
})

test('messages on other channels and empty notifications are no topics', () => {
  expect(toTopics('jobs', 'brain:1')).toEqual([])
  expect(toTopics('noema_topics', '')).toEqual([])
  expect(toTopics('noema_topics', undefined)).toEqual([])
})
