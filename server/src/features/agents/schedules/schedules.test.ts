import { expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../agents/use-agents.fixture.ts'
import { createScheduleWork } from './run-schedules.ts'

// No node works in the background: a test runs what is due.
const settings = { NOEMA_ROLES: 'http', NOEMA_MAX_SCHEDULES: '30', NOEMA_TIERS: '{"free":{"dailyRuns":40}}' }
const { app, scene, call, createAgent } = useAgents(settings)

const path = '/v1/schedules'
const create = async (more: object = {}) => {
  const agentId = (await createAgent()).id
  const body = { agentId, cron: '0 9 * * *', timezone: 'Europe/Berlin', input: 'Look around.', ...more }
  return (await call('POST', path, body)).body.data.schedule
}
const find = async (id: string) =>
  (await call('GET', `${path}?limit=500`)).body.data.schedules.find((one: { id: string }) => one.id === id)
const runs = async ({ id, agentId }: { id: string; agentId: string }) =>
  (await call('GET', `/v1/runs?scheduleId=${id}&agentId=${agentId}`)).body.data.runs
const pass = () => runPass(app.app.deps, createScheduleWork(app.app.deps))
const advanceTo = (time: string) =>
  app.clock.advance({ seconds: (Date.parse(time) - app.clock.now().getTime()) / 1000 })

test('D-79 a schedule starts a run at each of its times, and shows the next one', async () => {
  const made = await create()
  expect(made).toEqual({
    ...{ id: expect.stringMatching(/^sch_/), agentId: made.agentId, cron: '0 9 * * *', timezone: 'Europe/Berlin' },
    ...{ input: 'Look around.', enabled: true, nextRunAt: expect.any(String), lastRunId: null, lastFiredAt: null },
    ...{ createdAt: expect.any(String), updatedAt: made.createdAt },
    createdBy: expect.objectContaining({ type: 'key', id: scene.member.keyId }),
  })
  await pass()
  expect(await runs(made)).toEqual([])
  advanceTo(made.nextRunAt)
  await pass()
  await pass()
  const [run, ...more] = await runs(made)
  expect(more).toEqual([])
  expect(run).toMatchObject({ scheduleId: made.id, input: 'Look around.', startedBy: { type: 'system', id: made.id } })
  const after = await find(made.id)
  expect(after).toMatchObject({
    lastRunId: run.runId,
    lastFiredAt: expect.stringContaining(made.nextRunAt.slice(0, 16)),
  })
  expect(Date.parse(after.nextRunAt) - Date.parse(made.nextRunAt)).toBeGreaterThan(22 * 3_600_000)
})

test('D-79 after a downtime there is one run, however many were missed', async () => {
  const made = await create({ cron: '*/10 * * * *' })
  app.clock.advance({ days: 3 })
  await pass()
  expect(await runs(made)).toHaveLength(1)
  const { nextRunAt } = await find(made.id)
  expect(Date.parse(nextRunAt)).toBeGreaterThan(app.clock.now().getTime())
  await call('DELETE', `${path}/${made.id}`)
})

test('D-79 one that is disabled, deleted or moved starts nothing at its former time', async () => {
  const [off, gone, moved] = [await create(), await create(), await create()]
  expect((await call('PATCH', `${path}/${off.id}`, { enabled: false })).body.data.schedule.nextRunAt).toBeNull()
  await call('DELETE', `${path}/${gone.id}`)
  // Two days after the former time.
  const later = new Date(Date.parse(off.nextRunAt) + 2 * 86_400_000)
  const change = { cron: `0 10 ${later.getUTCDate()} ${later.getUTCMonth() + 1} *` }
  const { nextRunAt } = (await call('PATCH', `${path}/${moved.id}`, change)).body.data.schedule
  advanceTo(off.nextRunAt)
  await pass()
  expect([...(await runs(off)), ...(await runs(gone)), ...(await runs(moved))]).toEqual([])
  advanceTo(nextRunAt)
  await pass()
  expect(await runs(moved)).toHaveLength(1)
  const on = (await call('PATCH', `${path}/${off.id}`, { enabled: true })).body.data.schedule
  expect(Date.parse(on.nextRunAt)).toBeGreaterThan(app.clock.now().getTime())
  await pass()
  expect(await runs(off)).toEqual([])
})

test('D-79 with its agent archived it pauses visibly, and runs once with another', async () => {
  const made = await create()
  await call('DELETE', `/v1/agents/${made.agentId}`)
  expect((await find(made.id)).paused.reason).toContain('archived')
  advanceTo(made.nextRunAt)
  app.clock.advance({ days: 2 })
  await pass()
  expect((await find(made.id)).paused.reason).toContain('archived')
  const agentId = (await createAgent()).id
  const patched = (await call('PATCH', `${path}/${made.id}`, { agentId })).body.data.schedule
  expect(patched.paused).toBeUndefined()
  await pass()
  expect(await runs({ id: made.id, agentId })).toHaveLength(1)
})

test('D-79 at the cap of a day it pauses visibly, and goes on by itself with one run', async () => {
  const made = await create({ cron: '0 * * * *' })
  advanceTo(made.nextRunAt)
  await app.database.pool.query(
    `insert into run_days (organization_id, day, runs) values ($1, $2, 40)
     on conflict (organization_id, day) do update set runs = 40`,
    [scene.member.organizationId, made.nextRunAt.slice(0, 10)],
  )
  await pass()
  expect(await runs(made)).toEqual([])
  expect((await find(made.id)).paused.reason).toContain('40 runs of today')
  app.clock.advance({ days: 1, seconds: 60 })
  await pass()
  expect(await runs(made)).toHaveLength(1)
  expect((await find(made.id)).paused).toBeUndefined()
})

test.each([
  ['a cron expression that is none', { cron: 'now' }, 'body.cron', '0 9 * * 1-5'],
  ['six fields', { cron: '* * * * * *' }, 'body.cron', 'five fields'],
  ['a time that never comes', { cron: '0 0 30 2 *' }, 'body.cron', 'never'],
  ['a time zone that there is not', { timezone: 'Mars/Olympus' }, 'body.timezone', 'Europe/Berlin'],
  ['no input', { input: '' }, 'body.input', 'input'],
  ['a long input', { input: 'x'.repeat(33_000) }, 'body.input', '32000'],
])('D-79 %s is refused with what to do', async (_case, wrong, place, says) => {
  const agentId = (await createAgent()).id
  const refused = await call('POST', path, { agentId, cron: '0 9 * * *', input: 'Look.', ...wrong })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body)).toContain(place)
  expect(JSON.stringify(refused.body)).toContain(says)
})

test('D-79 another organization neither sees nor changes a schedule', async () => {
  const { id, agentId } = await create()
  const { key } = await createMember(app)
  expect((await app.request('GET', path, { key })).body.data.schedules).toEqual([])
  expect((await app.request('PATCH', `${path}/${id}`, { key, body: { enabled: false } })).status).toBe(404)
  expect((await app.request('DELETE', `${path}/${id}`, { key })).status).toBe(404)
  const body = { agentId, cron: '0 9 * * *', input: 'Look.' }
  expect((await app.request('POST', path, { key, body })).status).toBe(404)
})

test('D-79 an organization has so many schedules, also when they are made at once', async () => {
  const agentId = (await createAgent()).id
  const body = { agentId, cron: '0 9 * * *', input: 'Look.' }
  const made = await Promise.all(Array.from({ length: 35 }, () => call('POST', path, body)))
  expect(made.some((answer) => answer.body.error?.code === 'too_many_schedules')).toBe(true)
  expect((await call('GET', `${path}?limit=500`)).body.data.schedules).toHaveLength(30)
})
