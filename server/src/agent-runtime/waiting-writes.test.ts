import { expect, test } from 'vitest'
import { holdBrain, untilOneWaits } from '../test/held-brain.ts'
import { useRuns } from './use-runs.fixture.ts'

// A write of a run may wait for its Brain while the run ends or is taken over. Then it has no run, and is not applied.

const runs = useRuns()

/** Starts a run whose model writes to the Brain, and does something while that write waits for the Brain's lock. */
const whileItWaits = async (id: string, act: (runId: string) => Promise<void>): Promise<string> => {
  const { brain } = runs.scene
  const agent = await runs.createAgent({ brains: [{ handle: 'brain', access: 'read_write' }] })
  const input = { operations: [{ op: 'record.put', id, kind: 'person' }] }
  runs.scripted.models.says([{ toolCalls: [{ id: 'one', name: 'knowledge_write', input }] }, { text: ['Done.'] }])
  const release = await holdBrain(runs.app.database, brain.brain.id)
  try {
    const runId = await runs.start(agent.id)
    await untilOneWaits(runs.app.database)
    await act(runId)
    return runId
  } finally {
    await release()
  }
}

/** Someone else's write, which applies once those before it were applied or refused. */
const writeAfter = async (id: string): Promise<number> =>
  (await runs.scene.brain.call('PUT', `/records/${id}`, { kind: 'person' })).status
const findStatus = async (id: string): Promise<number> => (await runs.scene.brain.call('GET', `/records/${id}`)).status

test('a run that is cancelled while its write waits for a busy Brain ends at once, and the write does not land', async () => {
  const runId = await whileItWaits('cancelled', async (id) => {
    const cancelled = await runs.call('POST', `/v1/runs/${id}/cancel`, { reason: 'Enough.' })
    expect(cancelled.body.data.run).toMatchObject({ state: 'abandoned' })
  })
  expect(await writeAfter('after-cancelled')).toBe(201)
  expect(await findStatus('cancelled')).toBe(404)
  expect((await runs.listOperations(runId)).map(({ status }) => status)).toEqual(['succeeded', 'abandoned'])
})

test('a node whose lease was taken over while its write waited for a busy Brain lands nothing of the run', async () => {
  const runId = await whileItWaits('fenced', async (id) => {
    await runs.query(`update runs set lease = 'another node', due_at = now() + interval '1 hour' where id = $1`, [id])
  })
  expect(await writeAfter('after-fenced')).toBe(201)
  expect(await findStatus('fenced')).toBe(404)
  const operations = await runs.listOperations(runId)
  expect(operations.map(({ status }) => status)).toEqual(['succeeded', 'running'])
  expect((await runs.read(runId)).state).toBe('running')
})
