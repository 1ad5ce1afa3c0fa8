import { beforeAll, expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()
const brain = useBrain(app)
beforeAll(async () => {
  for (const id of ['a', 'b', 'c']) await brain.call('PUT', `/records/${id}`, { kind: 'k' })
})

const after = (cursor: string, of = brain) => of.call('GET', `/events?after=${encodeURIComponent(cursor)}`)
const readPage = async (of: TestBrain) => (await of.call('GET', '/events')).body.data
const refusal = { status: 400, body: { error: { kind: 'validation' } } }

test('EVT-09 a cursor with any one character changed is refused', async () => {
  const cursor: string = (await readPage(brain)).events[1].cursor
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const forgeries = [...cursor].flatMap((character, index) => {
    const place = alphabet.indexOf(character)
    // The neighbour differs in the lowest bit, which in the last character may be one that encodes nothing.
    return [1, 2, 32].map((step) => cursor.slice(0, index) + alphabet[(place ^ step) % 64] + cursor.slice(index + 1))
  })
  const answers = await Promise.all(forgeries.map((forged) => after(forged)))
  for (const [index, answer] of answers.entries()) expect(answer, forgeries[index]).toMatchObject(refusal)
  expect((await after(cursor)).status).toBe(200)
})

test('EVT-09 D-54b a truncated, lengthened or invented cursor is refused', async () => {
  const cursor: string = (await readPage(brain)).cursor
  const invented = Buffer.concat([Buffer.alloc(9), Buffer.from(JSON.stringify(['events', 1, 2]))]).toString('base64url')
  const cuts = Array.from({ length: cursor.length }, (_, length) => cursor.slice(0, length))
  for (const bad of [
    ...cuts,
    `${cursor}A`,
    `${cursor}=`,
    ` ${cursor}`,
    cursor + cursor,
    '0',
    '1',
    'null',
    '{}',
    invented,
    'x'.repeat(4000),
  ])
    expect(await after(bad), bad).toMatchObject(refusal)
})

test('EVT-09 D-54b a cursor of another Brain is refused, in its own organization as in another', async () => {
  const stranger = await createBrain(app, 'brain')
  await stranger.call('PUT', '/records/a', { kind: 'k' })
  const foreign = await readPage(stranger)
  expect(await after(foreign.cursor)).toMatchObject(refusal)
  expect(await after(foreign.events[0].cursor)).toMatchObject(refusal)
  await app.request('PUT', '/v1/brains/sister', { key: brain.key, body: {} })
  await app.request('PUT', '/v1/brains/sister/records/a', { key: brain.key, body: { kind: 'k' } })
  const sister = await app.request('GET', '/v1/brains/sister/events', { key: brain.key })
  expect(await after(sister.body.data.cursor)).toMatchObject(refusal)
})

test('EVT-08 BRN-06 a cursor from before the Brain was deleted and made again is refused with 409', async () => {
  const of = await createBrain(app, 'reborn')
  await of.call('PUT', '/records/a', { kind: 'k' })
  const { events, cursor } = await readPage(of)
  const recreate = async () => {
    expect((await app.request('DELETE', of.path, { key: of.key })).status).toBe(200)
    expect((await after(cursor, of)).status).toBe(404)
    expect((await app.request('PUT', of.path, { key: of.key, body: {} })).status).toBe(201)
  }
  for (let life = 0; life < 2; life++) {
    await recreate()
    for (const old of [cursor, events[0].cursor])
      expect(await after(old, of)).toMatchObject({
        status: 409,
        body: { error: { kind: 'conflict', code: 'stale_cursor' } },
      })
    for (const worker of app.app.workers) await worker.run()
    expect((await after(cursor, of)).status).toBe(409)
  }
  const [head, tail] = [cursor.slice(0, 3), cursor.slice(4)]
  expect(await after(`${head}${cursor[3] === 'A' ? 'B' : 'A'}${tail}`, of)).toMatchObject(refusal)
  expect(await readPage(of)).toMatchObject({ events: [], hasMore: false })
})

test('EVT-08 an old cursor of one handle is foreign to another handle', async () => {
  const of = await createBrain(app, 'first')
  await of.call('PUT', '/records/a', { kind: 'k' })
  const { cursor } = await readPage(of)
  await app.request('DELETE', of.path, { key: of.key })
  await app.request('PUT', '/v1/brains/second', { key: of.key, body: {} })
  const answer = await app.request('GET', `/v1/brains/second/events?after=${cursor}`, { key: of.key })
  expect(answer).toMatchObject(refusal)
})

test('BRN-05 the events of a deleted Brain cannot be read, and its last one reports the deletion', async () => {
  const of = await createBrain(app, 'deleted')
  const reader = await of.mintKey(['read'])
  await of.call('PUT', '/records/a', { kind: 'k' })
  await app.request('DELETE', of.path, { key: of.key })
  expect((await of.call('GET', '/events')).status).toBe(404)
  expect((await of.call('GET', '/events', undefined, { key: reader })).status).toBe(401)
  // No key can read it any more, so the test reads the table for the cursors that followers will get.
  const { rows } = await app.database.pool.query(
    `select event from events join brains using (brain_id) where brains.id = $1 order by events.position`,
    [of.brain.id],
  )
  expect(rows.map(({ event }) => event.type)).toEqual(['record.accepted', 'availability.changed'])
  expect(rows[1].event.data).toEqual({ from: 'active', to: 'deleted' })
})
