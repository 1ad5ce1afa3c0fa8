import { beforeAll, expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { createTriggerWork } from './fire-triggers.ts'
import { useTriggers } from './use-triggers.fixture.ts'

const { app, call, path, given, scene, createTrigger, find, fire, runs, write, endRuns } = useTriggers({
  NOEMA_TRIGGER_RATE: '4',
  NOEMA_MAX_TRIGGER_RUNS: '10',
  NOEMA_MAX_TRIGGERS: '40',
  NOEMA_TIERS: '{"free":{"dailyRuns":40}}',
})

// Runs count by the second and by the day: the clock is held at the beginning of one.
beforeAll(() => {
  app.clock.hold()
  app.clock.advance({ seconds: 86_400 - ((app.clock.now().getTime() / 1000) % 86_400) })
})

const writeMany = (count: number) => {
  const operations = Array.from({ length: count }, () => ({ op: 'record.create', kind: 'person' }))
  return scene.brain.call('POST', '/batch', { operations })
}

test('commits of a Brain whose triggers are all disabled are not followed one by one', async () => {
  const { id } = await createTrigger({ enabled: false })
  await write('person')
  const { rows } = await app.database.pool.query('select brain_id from brains where id = $1', [scene.brain.brain.id])
  const [now, keys] = [app.clock.now(), [String(rows[0].brain_id)]]
  const running = { free: 1, maxOfOrganization: 1, organizations: [], owners: [] }
  const lease = () => createTriggerWork(app.app.deps).lease({ keys, lease: 'a', now, until: now, running })
  expect(await lease()).toEqual({ rows: [], left: [], absent: keys })
  await call('PATCH', `${path}/${id}`, { enabled: true })
  expect((await lease()).absent).toEqual([])
})

test('D-77 a burst becomes runs at a bounded rate, so many at once, and none is lost', async () => {
  const { id } = await createTrigger()
  await writeMany(14)
  const counts = []
  for (let second = 0; second < 4; second++) {
    await fire()
    counts.push((await runs(id)).length)
    app.clock.advance({ seconds: 1 })
  }
  expect(counts).toEqual([4, 8, 10, 10])
  expect((await find(id)).paused.reason).toContain('10 of its runs')
  await endRuns()
  app.clock.advance({ seconds: 1 })
  await fire()
  app.clock.advance({ seconds: 2 })
  await fire()
  expect(await runs(id)).toHaveLength(14)
  expect((await find(id)).paused).toBeUndefined()
  await endRuns()
})

test('D-77 commits that come one by one start no more runs than a burst', async () => {
  const { id } = await createTrigger()
  for (let n = 0; n < 8; n++) {
    await write('person')
    await fire()
  }
  expect((await runs(id)).length).toBeLessThanOrEqual(4)
  for (let second = 0; second < 8; second++) {
    app.clock.advance({ seconds: 1 })
    await fire()
  }
  expect(await runs(id)).toHaveLength(8)
  await endRuns()
})

test('D-77 at the cap of a day a trigger pauses visibly, and goes on by itself when the cap allows', async () => {
  const { id } = await createTrigger()
  await app.database.pool.query('update run_days set runs = 38')
  await writeMany(4)
  await fire()
  app.clock.advance({ seconds: 1 })
  await fire()
  expect((await runs(id)).length).toBe(2)
  expect((await find(id)).paused.reason).toContain('40 runs of today')
  app.clock.advance({ days: 1 })
  await fire()
  expect((await runs(id)).length).toBe(4)
  expect((await find(id)).paused).toBeUndefined()
  await endRuns()
})

test.each([
  ['a Brain that is not there', { knowledgeGraphId: 'brn_1' }, 404, 'body.knowledgeGraphId'],
  ['an agent that is not there', { agentId: 'agt_1' }, 404, 'body.agentId'],
  ['an access that there is not', { requiredAccess: 'all' }, 400, 'body.requiredAccess'],
  ['a kind that is none', { kindScopes: [{ entityKind: '1' }] }, 400, 'body.kindScopes.0.entityKind'],
  ['too many kinds', { kindScopes: Array.from({ length: 51 }, (_, n) => ({ entityKind: `k${n}` })) }, 400, '50'],
  ['no name', { name: '' }, 400, 'body.name'],
])('D-77 %s is refused with what to do', async (_case, wrong, status, says) => {
  const refused = await call('POST', path, { ...given(), ...wrong })
  expect(refused.status).toBe(status)
  expect(JSON.stringify(refused.body)).toContain(says)
})

test('D-77 a Brain is named by its handle, its id, or both if they name the same one', async () => {
  const { knowledgeGraphId, ...rest } = given()
  const { handle: brain } = scene.brain.brain
  for (const names of [{ brain }, { knowledgeGraphId }, { brain, knowledgeGraphId }]) {
    const made = await call('POST', path, { ...rest, ...names })
    expect(made).toMatchObject({ status: 201, body: { data: { trigger: { knowledgeGraphId } } } })
  }
  const other = await addBrain(app, scene.brain, `${brain}-other`)
  for (const [names, status, says] of [
    [{}, 400, 'body.brain'],
    [{ brain: 'nowhere' }, 404, 'body.brain'],
    [{ brain: 'nowhere', knowledgeGraphId }, 404, 'body.brain'],
    [{ brain, knowledgeGraphId: other.brain.id }, 400, 'body.knowledgeGraphId'],
    [{ brain, knowledgeGraphId: 'brn_1' }, 400, 'body.knowledgeGraphId'],
  ] as const) {
    const refused = await call('POST', path, { ...rest, ...names })
    expect([names, refused.status, refused.body.error.details]).toMatchObject([names, status, [{ path: says }]])
  }
})

test('D-77 another organization neither sees nor changes nor is reached by a trigger', async () => {
  const { id } = await createTrigger()
  const { key } = await createMember(app)
  expect((await app.request('GET', path, { key })).body.data.triggers).toEqual([])
  expect((await app.request('PATCH', `${path}/${id}`, { key, body: { name: 'Mine' } })).status).toBe(404)
  expect((await app.request('DELETE', `${path}/${id}`, { key })).status).toBe(404)
  expect((await app.request('POST', path, { key, body: given() })).status).toBe(404)
})

test('D-77 an organization has so many triggers, also when they are made at once', async () => {
  const made = await Promise.all(Array.from({ length: 45 }, () => call('POST', path, { ...given(), enabled: false })))
  expect(made.some(({ body }) => body.error?.code === 'too_many_triggers')).toBe(true)
  const { triggers } = (await call('GET', path)).body.data
  expect(triggers).toHaveLength(40)
})
