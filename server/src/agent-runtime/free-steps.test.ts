import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { useRuns } from './use-runs.fixture.ts'

// Steps of the built-in model cost nothing, and reads leave no trace but a receipt: both may be done again.
const runs = useRuns()

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Starts a run whose search cannot leave its receipt until it is let go. */
const startHeld = async () => {
  await runs.scene.brain.call('POST', '/documents', { id: 'ada', text: 'Ada Lovelace wrote the first program.' })
  const agent = await runs.createAgent({
    model: 'noema/extractive',
    brains: [{ handle: 'brain', access: 'read_only' }],
  })
  const client = new pg.Client({ connectionString: runs.app.database.url })
  await client.connect()
  closers.push(() => client.end())
  await client.query('begin')
  await client.query('lock table receipts in exclusive mode')
  const runId = await runs.start(agent.id, 'Who wrote the first program?')
  return { runId, release: () => client.query('rollback') }
}

const listSteps = async (runId: string) =>
  (await runs.listOperations(runId)).map(({ type, status, attempt }) => [type, status, attempt])
const readParts = async (runId: string) =>
  await runs.query('select number, part::json->>$2 as type from run_parts where run_id = $1 order by number', [
    runId,
    'type',
  ])
const begun = [
  ['llm_call', 'succeeded', 1],
  ['tool_call', 'running', 1],
]

test('RUN-04 D-75 the end of a wait in a step that costs nothing is reported within a moment, and the run goes on once', async () => {
  const { runId, release } = await startHeld()
  await expect.poll(() => listSteps(runId)).toEqual(begun)
  const before = await readParts(runId)
  expect(before.map(({ type }) => type)).toEqual(['start', 'start-step', 'tool-input-available'])
  await release()
  expect((await runs.ended(runId)).state).toBe('completed')
  expect(await listSteps(runId)).toEqual(['llm_call', 'tool_call', 'llm_call'].map((type) => [type, 'succeeded', 1]))
  const after = await readParts(runId)
  expect(after.slice(0, 3)).toEqual(before)
  expect(after.map(({ number }) => number)).toEqual(after.map((_, index) => index + 1))
  expect(after.map(({ type }) => type).filter((type) => String(type).startsWith('start'))).toEqual([
    ...['start', 'start-step', 'start-step'],
  ])
  expect(after.at(-1)?.type).toBe('finish')
})

test('D-75 a run that another node took meanwhile gets nothing from the read that was under way', async () => {
  const { runId, release } = await startHeld()
  await expect.poll(() => listSteps(runId)).toEqual(begun)
  await runs.query(`update runs set lease = 'of another node', due_at = now() + interval '1 hour' where id = $1`, [
    runId,
  ])
  const before = await readParts(runId)
  await release()
  await expect
    .poll(async () => (await runs.query('select from receipts where consumer_id = $1', [runId])).length)
    .toBe(1)
  // Another run of the same node is through: what the first one's turn stores has been tried before.
  const { state } = await runs.ended(
    await runs.start((await runs.createAgent({ model: 'noema/extractive', brains: [] })).id),
  )
  expect(state).toBe('completed')
  expect(await listSteps(runId)).toEqual(begun)
  expect(await readParts(runId)).toEqual(before)
})
