import type { ActivityDay } from '@noema/contracts/activity-days.ts'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { insertRun } from '../run-feeds/run.fixture.ts'

const app = useOwnApp()
const member = useMember(app)

const query = (text: string, values: unknown[]) => app.database.pool.query(text, values)

/** A run that ended at a time, with ten operations, 100 and 20 tokens, and a cost of a cent and a half. */
const endRun = async (at: string, state = 'completed', organizationId = member.organizationId): Promise<void> => {
  const { id } = await insertRun(app, organizationId, { state })
  await query(
    `update runs set completed_at = $1, next_sequence = 11, input_tokens = 100, output_tokens = 20,
       cost_nanodollars = 15000000 where id = $2`,
    [at, id],
  )
}

const read = async (text = '', { key } = member as { key: string }): Promise<ActivityDay[]> => {
  const { status, body } = await app.request('GET', `/v1/activity/days?${text}`, { key })
  expect([text, status]).toEqual([text, 200])
  return body.data.days
}

const sumUp = () => app.app.workers.find(({ name }) => name === 'sum up runs')?.run()

const nothing = { operations: 0, inputTokens: 0, outputTokens: 0, costCents: 0, writes: 0 }
const quiet = (day: string): ActivityDay => ({
  ...{ day, runs: { completed: 0, failed: 0, abandoned: 0 } },
  ...nothing,
})
const ranges = ['from=2026-03-01&to=2026-03-03', 'from=2026-03-01&to=2026-03-02&timezone=Asia/Kathmandu']

beforeAll(async () => {
  // The clock is held, so that no day ends between two reads.
  app.clock.hold()
  for (const at of ['2026-02-28T18:20:00Z', '2026-03-01T00:00:00Z', '2026-03-01T18:14:59.999Z', '2026-03-01T18:15:00Z'])
    await endRun(at)
  await endRun('2026-03-02T23:59:59.999Z', 'failed')
  await endRun('2026-03-02T12:00:00Z', 'abandoned')
  await endRun('2026-03-02T12:00:00Z', 'completed', (await createMember(app)).organizationId)
})

test('RUN-07 each day has what the runs that ended on it came to, by the days of a time zone, before and after it is summed up', async () => {
  const expected = [
    [
      {
        ...{ day: '2026-03-01', runs: { completed: 3, failed: 0, abandoned: 0 }, operations: 30, inputTokens: 300 },
        ...{ outputTokens: 60, costCents: 5, writes: 0 },
      },
      {
        ...{ day: '2026-03-02', runs: { completed: 0, failed: 1, abandoned: 1 }, operations: 20, inputTokens: 200 },
        ...{ outputTokens: 40, costCents: 3, writes: 0 },
      },
      quiet('2026-03-03'),
    ],
    [
      {
        ...{ day: '2026-03-01', runs: { completed: 3, failed: 0, abandoned: 0 }, operations: 30, inputTokens: 300 },
        ...{ outputTokens: 60, costCents: 5, writes: 0 },
      },
      {
        ...{ day: '2026-03-02', runs: { completed: 1, failed: 0, abandoned: 1 }, operations: 20, inputTokens: 200 },
        ...{ outputTokens: 40, costCents: 3, writes: 0 },
      },
    ],
  ]
  const readBoth = async () => [await read(ranges[0]), await read(ranges[1])]
  expect(await readBoth()).toEqual(expected)
  await Promise.all([sumUp(), sumUp()])
  const { rows } = await query('select count(*) as count from run_quarters where organization_id = $1', [
    member.organizationId,
  ])
  expect(rows[0].count).toBe(6)
  expect(await readBoth()).toEqual(expected)
  await sumUp()
  expect(await readBoth()).toEqual(expected)
})

test('RUN-07 a run that ended a moment ago is counted, and joins the sums only when its quarter is over', async () => {
  const today = app.clock.now().toISOString().slice(0, 10)
  await endRun(app.clock.now().toISOString())
  await sumUp()
  const last = async () => (await read()).at(-1)
  expect(await last()).toMatchObject({ day: today, runs: { completed: 1 }, operations: 10 })
  expect(await read()).toHaveLength(30)
})

test('RUN-07 writes that were applied are counted on the day on which they were sent', async () => {
  const brain = await addBrain(app, member, 'written')
  for (let n = 0; n < 3; n++) await brain.call('POST', '/records', { kind: 'note' })
  await brain.call('PATCH', '', { mode: 'review' })
  await brain.call('POST', '/records', { kind: 'note' })
  expect((await read()).at(-1)?.writes).toBe(3)
})

test('RUN-07 at most 92 days are read at once, in order and of a time zone that there is; anything else is 400', async () => {
  expect(await read('from=2026-01-01&to=2026-04-02')).toHaveLength(92)
  expect((await read('to=2026-03-01')).map(({ day }) => day)).toEqual(
    expect.arrayContaining(['2026-01-31', '2026-03-01']),
  )
  const wrong = [
    ...['from=2026-01-01&to=2026-04-03', 'from=2026-01-02&to=2026-01-01', 'from=yesterday', 'from=0000-01-01'],
    ...['timezone=Mars/Base', 'from=2026-02-30', 'day=2026-01-01'],
  ]
  for (const text of wrong) {
    const { status } = await app.request('GET', `/v1/activity/days?${text}`, { key: member.key })
    expect([text, status]).toEqual([text, 400])
  }
})
