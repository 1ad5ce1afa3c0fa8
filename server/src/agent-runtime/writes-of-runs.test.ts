import { expect, test } from 'vitest'
import { addBrain } from '../test/app.ts'
import { holdBrain, untilNoneWaits, untilOneWaits } from '../test/held-brain.ts'
import { passWait, readRequest, useRuns } from './use-runs.fixture.ts'

const runs = useRuns()

const write = (name: string) => ({
  id: 'call',
  name: 'knowledge_write',
  input: { operations: [{ op: 'record.create', kind: 'note', fields: { name } }] },
})

test('RUN-04 in a Brain with review a run learns that its write is staged, does not read it, and has ended when it is decided; provenance names the run', async () => {
  const { member } = runs.scene
  const brain = await addBrain(runs.app, member, 'reviewed')
  await brain.call('PATCH', '', { mode: 'review' })
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (step === 0) return { toolCalls: [write('proposed')] }
    if (step === 1) return { toolCalls: [{ id: 'call', name: 'knowledge_query', input: { kind: 'note' } }] }
    return { text: [results.join(' THEN ')] }
  })
  const agent = await runs.createAgent({ brains: [{ handle: 'reviewed', access: 'read_write' }] })
  const run = await runs.ended(await runs.start(agent.id))
  expect(run.state).toBe('completed')
  const [written, read] = String((await runs.listMessages(run.runId)).at(-1)?.text).split(' THEN ')
  expect(written).toContain('"staged"')
  expect(read).not.toContain('proposed')
  const [operation] = (await runs.listOperations(run.runId)).filter(({ name }) => name === 'knowledge_write')
  const change = `/changes/${operation?.change}`
  const staged = (await brain.call('GET', change)).body.data.change
  expect(staged).toMatchObject({ decision: 'pending', stagedByActor: { type: 'run', runId: run.runId } })
  await brain.call('POST', `${change}/decide`, { decision: 'approved' })
  const { records } = (await brain.call('GET', '/records?kind=note')).body.data
  expect(records).toMatchObject([{ fields: { name: 'proposed' } }])
  expect(JSON.stringify(records[0].provenance)).toContain(run.runId)
})

test('RUN-04 a write that meets a busy Brain is made again under its own key before the model sees an error; after five tries it does', async () => {
  const brain = await addBrain(runs.app, runs.scene.member, 'held')
  const agent = await runs.createAgent({ brains: [{ handle: 'held', access: 'read_write' }] })
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    return step > 0 ? { text: [results.join()] } : { toolCalls: [write('in the end')] }
  })
  const release = await holdBrain(runs.app.database, brain.brain.id)
  const [kept, reported] = [await runs.start(agent.id), await runs.start(agent.id)]
  const listRefused = (tries: number) =>
    runs.query(
      `select run.id from runs as run join run_operations as op on op.run_id = run.id
        where run.lease is null and op.status = 'running' and op.refusals = $1`,
      [tries],
    )
  await expect.poll(async () => (await listRefused(1)).length).toBe(2)
  await runs.query(`update run_operations set refusals = 4 where run_id = $1 and status = 'running'`, [reported])
  await runs.query(`update runs set due_at = null where id = $1`, [kept])
  await passWait(runs.app, reported)
  const refused = await runs.ended(reported)
  expect((await runs.listMessages(refused.runId)).at(-1)?.text).toContain('unavailable (brain_busy)')
  await release()
  await runs.query(`update runs set due_at = $2 where id = $1`, [kept, runs.app.clock.now()])
  const run = await runs.ended(kept)
  expect((await runs.listMessages(run.runId)).at(-1)?.text).not.toContain('brain_busy')
  expect((await runs.listOperations(kept)).find(({ name }) => name === 'knowledge_write')).toMatchObject({
    ...{ status: 'succeeded', attempt: 2, error: null },
  })
  const { records } = (await brain.call('GET', '/records?kind=note')).body.data
  expect(records.map(({ fields }: { fields: { name: string } }) => fields.name)).toEqual(['in the end'])
})

test('RUN-04 D-75 a write that waits while its run is cancelled does not land', async () => {
  const brain = await addBrain(runs.app, runs.scene.member, 'busy')
  const agent = await runs.createAgent({ brains: [{ handle: 'busy', access: 'read_write' }] })
  runs.scripted.models.says((request) =>
    readRequest(request).step > 0 ? { text: ['Done.'] } : { toolCalls: [write('too late')] },
  )
  const release = await holdBrain(runs.app.database, brain.brain.id)
  const runId = await runs.start(agent.id)
  await untilOneWaits(runs.app.database)
  expect((await runs.call('POST', `/v1/runs/${runId}/cancel`, {})).status).toBe(200)
  await release()
  await untilNoneWaits(runs.app.database)
  // A later write in the Brain's queue has been applied: so this one was refused.
  await brain.call('POST', '/records', { kind: 'note', fields: { name: 'after' } })
  const { records } = (await brain.call('GET', '/records?kind=note')).body.data
  expect(records.map(({ fields }: { fields: { name: string } }) => fields.name)).toEqual(['after'])
  expect((await runs.listOperations(runId)).map(({ status }) => status)).toEqual(['succeeded', 'abandoned'])
})
