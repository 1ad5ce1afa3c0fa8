import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, type Requester, startTestApp, type TestApp, type TestBrain } from '../../../test/app.ts'
import { startDatabaseProxy } from '../../../test/database-proxy.ts'
import { runPass } from '../../../test/run-pass.ts'
import { createReminding } from '../../writing/due-dates/due-dates.ts'
import { declareTask, emitDueDates, inMinutes, listReached } from './dates-app.fixture.ts'

const proxy = await startDatabaseProxy()
let app: TestApp
let node: Awaited<ReturnType<TestApp['startNode']>>
beforeAll(async () => {
  // Only the tests send reminders.
  app = await startTestApp({ NOEMA_ROLES: 'http' }, { reach: proxy.reach })
  node = await app.startNode({ NOEMA_ROLES: 'http' })
})
afterAll(async () => {
  await node.close()
  await app.close()
  await proxy.close()
})

const sendDue = ({ app: { deps } }: Pick<TestApp, 'app'>) => runPass(deps, createReminding(deps))

const chunk = 500
const records = 500
const datesPerRecord = 10
const reminders = records * datesPerRecord

/** A Brain whose records have dates that all came due while no node was looking. */
const brainInArrears = async (handle: string): Promise<TestBrain> => {
  const brain = await createBrain(app, handle)
  await declareTask(brain)
  const at = Array.from({ length: datesPerRecord }, (_, index) => inMinutes(app, 70 + (index % 4) + index / 100))
  const operations = Array.from({ length: records }, (_, index) => ({
    ...{ op: 'record.put', id: `r${index}`, kind: 'Task' },
    fields: { at },
  }))
  const { status } = await brain.call('POST', '/batch', { operations })
  expect(status).toBe(200)
  app.clock.advance({ days: 1 })
  return brain
}

const brainNumber = '(select brain_id from brains where id = $1)'
const readHead = async ({ brain }: TestBrain): Promise<number> => {
  const { rows } = await app.database.pool.query('select position from brains where id = $1', [brain.id])
  return rows[0].position
}

/** Every reminder is sent once, in the order of their times, at positions without gaps. */
const expectReportedOnce = async (brain: TestBrain): Promise<void> => {
  const sent = (await listReached(brain)).map(({ data }) => data)
  expect(new Set(sent.map(({ record, dueAt }) => `${record.id} ${dueAt}`)).size).toBe(reminders)
  expect(sent).toHaveLength(reminders)
  const { rows } = await app.database.pool.query(
    `select count(*) as count, max(position) as head from events where brain_id = ${brainNumber}`,
    [brain.brain.id],
  )
  expect(rows[0].count).toBe(rows[0].head)
}
const dueTimes = async (brain: TestBrain) => (await listReached(brain)).map(({ data }) => data.dueAt)

/** Writes one record after the other until `done`, and counts the dates between each write's sending and its event. */
const overtakenBy = async (brain: TestBrain, request: Requester, done: () => boolean): Promise<number[]> => {
  const between: number[] = []
  while (!done()) {
    const before = await readHead(brain)
    const answer = await request('POST', `${brain.path}/records`, { key: brain.key, body: { kind: 'Note' } })
    expect(answer.status).toBe(201)
    const { rows } = await app.database.pool.query(
      `select count(*) as count from events where brain_id = ${brainNumber} and type = 'date.reached' and position > $2
        and position < (select position from events where brain_id = ${brainNumber} and position > $2
          and event -> 'data' -> 'record' ->> 'id' = $3 and type = 'record.accepted')`,
      [brain.brain.id, before, answer.body.data.record.id],
    )
    between.push(rows[0].count)
  }
  return between
}

const whileEmitting = async (brain: TestBrain, request: Requester): Promise<number[]> => {
  let isDone = false
  const sending = sendDue(app).finally(() => {
    isDone = true
  })
  const between = await overtakenBy(brain, request, () => isDone)
  await sending
  return between
}

test('DAT-07 while a Brain catches up, a write of the same node waits for two chunks at most', async () => {
  const brain = await brainInArrears('busy')
  const between = await whileEmitting(brain, app.request)
  expect(between.length).toBeGreaterThan(3)
  expect(Math.max(...between)).toBeLessThanOrEqual(2 * chunk)
  await expectReportedOnce(brain)
  expect(await dueTimes(brain)).toEqual((await dueTimes(brain)).toSorted())
})

test('DAT-07 while a Brain catches up, writes of another node get in between too', async () => {
  const brain = await brainInArrears('busy-elsewhere')
  const between = await whileEmitting(brain, node.request)
  expect(between.length).toBeGreaterThan(2)
  // The time on the way is part of the time that a request waits, so one slow arrival counts as one.
  const middle = between.toSorted((a, b) => a - b)[Math.floor(between.length / 2)]
  expect(middle).toBeLessThanOrEqual(4 * chunk)
  expect(Math.max(...between)).toBeLessThan(reminders)
  await expectReportedOnce(brain)
})

test('DAT-03 two nodes that poll at the same moment send each reminder once', async () => {
  const brains = [await brainInArrears('raced'), await brainInArrears('raced-too')]
  await Promise.all([sendDue(app), sendDue(node)])
  for (const brain of brains) await expectReportedOnce(brain)
})

test('DAT-03 a node that stops while it catches up leaves the rest to the next, and no reminder is sent twice', async () => {
  const brain = await brainInArrears('cut')
  const before = await readHead(brain)
  const sending = sendDue(app)
  await expect.poll(() => readHead(brain), { interval: 1 }).toBeGreaterThan(before)
  proxy.cut()
  const after = await readHead(brain)
  expect((after - before) % chunk).toBe(0)
  expect(after - before).toBeLessThan(reminders)
  proxy.open()
  // It gives its lease back as soon as the database is there again.
  await sending
  await expect.poll(async () => (await app.request('GET', '/readyz')).status).toBe(200)
  app.clock.advance({ minutes: 1 })
  await sendDue(app)
  await expectReportedOnce(brain)
})

test('D-82 DAT-07 a node that is to stop leaves off between two chunks, and leaves the rest to others at once', async () => {
  const brain = await brainInArrears('stopped')
  const before = await readHead(brain)
  const stopping = await app.startNode({ NOEMA_ROLES: 'http,worker' })
  const sending = emitDueDates(stopping.workers)
  await expect.poll(() => readHead(brain), { interval: 1 }).toBeGreaterThan(before)
  await stopping.close()
  await sending
  expect((await readHead(brain)) - before).toBeLessThan(reminders)
  await sendDue(app)
  await expectReportedOnce(brain)
})

test('DAT-07 one failing Brain does not delay the others', async () => {
  const [broken, sound] = [await brainInArrears('broken'), await brainInArrears('sound')]
  const before = await readHead(broken)
  // An entry at its next position makes every event of it fail.
  const { pool } = app.database
  const { rows } = await pool.query(`select ${brainNumber} as number`, [broken.brain.id])
  const inTheWay = [rows[0].number, before + 1]
  await pool.query(`insert into events (brain_id, position, type, event) values ($1, $2, 'none', '{}')`, inTheWay)
  await sendDue(app)
  expect(await readHead(broken)).toBe(before)
  await expectReportedOnce(sound)
  await pool.query('delete from events where brain_id = $1 and position = $2', inTheWay)
  app.clock.advance({ minutes: 1 })
  await sendDue(app)
  await expectReportedOnce(broken)
})
