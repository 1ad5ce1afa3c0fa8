import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { readRequest, useRuns } from '../../agent-runtime/use-runs.fixture.ts'
import { testSecret } from '../app.ts'
import type { Step } from '../models/step.ts'
import { startNodeProcess } from './server-process.ts'

// Real processes work on these runs; the app of the tests only answers requests.
const runs = useRuns({ NOEMA_ROLES: 'http' })
const settings = { NOEMA_SECRET: testSecret, NOEMA_PROVIDER_ALLOW: '127.0.0.1:*' }
const startNode = () => startNodeProcess(runs.app.database.url, settings)

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A connection that locks rows for a while. */
const openLocker = async () => {
  const client = new pg.Client({ connectionString: runs.app.database.url })
  await client.connect()
  closers.push(() => client.end())
  return {
    lock: async (statement: string, values: unknown[]) => {
      await client.query('begin')
      await client.query(statement, values)
    },
    release: () => client.query('rollback'),
  }
}

/** Statements of the service that wait for a lock. */
const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
// A writer waits only for a moment at a time, so the test polls often.
const untilWaiting = () =>
  expect.poll(async () => (await runs.query(waiting)).length, { interval: 5 }).toBeGreaterThan(0)
/** Ends the waiting statements of a dead node: the machine is gone, and its connections with it. */
const endWaiting = () => runs.query(`select pg_terminate_backend(pid) from (${waiting}) as left_behind`)

/** Calls of each of the seven steps; the last one answers. */
const callsOfStep = [2, 1, 3, 1, 2, 1, 0]
const toStep = (step: number): Step => {
  const names = Array.from({ length: callsOfStep[step] ?? 0 }, (_, index) => `${step}.${index}`)
  if (names.length === 0) return { text: ['All ', 'is ', 'written.'] }
  const toolCalls = names.map((name) => ({
    // The ids of this provider repeat.
    ...{ id: 'call', name: 'knowledge_write' },
    input: { operations: [{ op: 'record.create', kind: 'note', fields: { name } }] },
  }))
  return { text: [`Step ${step}.`], toolCalls }
}

const countNotes = async (): Promise<number> =>
  Number(
    (await runs.query(`select count(distinct id)::int as notes from record_versions where kind = 'note'`))[0]?.notes,
  )

test('RUN-04 D-75 kill -9 at every boundary of a run of seven steps with parallel calls: each is done once, and the run continues', async () => {
  const held: (() => void)[] = []
  runs.scripted.models.says(async (request) => {
    await new Promise<void>((resolve) => held.push(resolve))
    return toStep(readRequest(request).step)
  })
  const agent = await runs.createAgent({ brains: [{ handle: 'brain', access: 'read_write' }] })
  let node = await startNode()
  closers.push(() => node.close())
  const killed = { count: 0 }
  const restart = async () => {
    await node.kill()
    await endWaiting()
    killed.count++
    node = await startNode()
  }
  const [operations, brain] = [await openLocker(), await openLocker()]
  const runId = await runs.start(agent.id)
  /** As if the lease of the dead node were over. */
  const passLease = () => runs.query('update runs set due_at = now() where id = $1 and lease is not null', [runId])
  const asked = async (): Promise<() => void> => {
    await expect.poll(() => held.length).toBe(1)
    return held.pop() as () => void
  }
  const lockOperations = () =>
    operations.lock(`select from run_operations where run_id = $1 and status = 'running' for update`, [runId])
  // As writers do: what indexes the Brain refers to its row, and does not wait.
  const lockBrain = () => brain.lock(`select from brains where handle = 'brain' for no key update`, [])
  let notes = 0
  for (const [step, calls] of callsOfStep.entries()) {
    // During the model call.
    await asked()
    expect(await countNotes(), `before step ${step}`).toBe(notes)
    await restart()
    await passLease()
    // Between its last token and the journal.
    const answer = await asked()
    await lockOperations()
    answer()
    await untilWaiting()
    await restart()
    await operations.release()
    await passLease()
    const again = await asked()
    if (calls > 0) {
      // While its calls are made.
      await lockBrain()
      again()
      await untilWaiting()
      await restart()
      await brain.release()
      // Between the effect and the journal.
      await lockBrain()
      await passLease()
      await untilWaiting()
      await lockOperations()
      await brain.release()
      await expect.poll(countNotes).toBeGreaterThan(notes)
      notes += calls
      await untilWaiting()
      await restart()
      await operations.release()
      await passLease()
    } else again()
  }
  const run = await runs.ended(runId)
  expect(killed.count).toBe(2 * 7 + 2 * 6)
  expect(run).toMatchObject({ state: 'completed', usage: { inputTokens: 70, outputTokens: 35 } })
  const journal = await runs.listOperations(runId)
  expect(journal.map(({ type, status }) => [type, status])).toEqual(
    callsOfStep.flatMap((calls) => [['llm_call', 'succeeded'], ...Array(calls).fill(['tool_call', 'succeeded'])]),
  )
  expect(new Set(journal.flatMap(({ change }) => change ?? [])).size).toBe(10)
  const messages = await runs.listMessages(runId)
  expect(messages.map(({ role }) => role)).toEqual([
    'user',
    ...callsOfStep.flatMap((calls) => (calls > 0 ? ['assistant', 'tool'] : ['assistant'])),
  ])
  const said = messages.filter(({ role }) => role === 'assistant').map(({ text }) => text)
  expect(said).toEqual([0, 1, 2, 3, 4, 5].map((step) => `Step ${step}.`).concat('All is written.'))
  const parts = (
    await runs.query('select part::json as part from run_parts where run_id = $1 order by number', [runId])
  ).map(({ part }) => part as { type: string; delta?: string })
  expect(parts.flatMap(({ delta }) => delta ?? []).join('')).toBe(said.join(''))
  expect(parts.at(-1)?.type).toBe('finish')
}, 300_000)

test('RUN-04 D-75 a node that is suspended past its lease and resumed stores nothing more of the run, and writes nothing to a Brain', async () => {
  const held: ((step: Step) => void)[] = []
  runs.scripted.models.says(() => new Promise<Step>((resolve) => held.push(resolve)))
  const agent = await runs.createAgent({ brains: [{ handle: 'brain', access: 'read_write' }] })
  const write = (name: string): Step => ({
    toolCalls: [
      {
        ...{ id: 'call', name: 'knowledge_write' },
        input: { operations: [{ op: 'record.create', kind: 'stopped', fields: { name } }] },
      },
    ],
  })
  const answer = async (step: Step) => {
    await expect.poll(() => held.length).toBeGreaterThan(0)
    held.shift()?.(step)
  }
  const stopped = await startNode()
  closers.push(stopped.close)
  const runId = await runs.start(agent.id)
  await expect.poll(() => held.length).toBe(1)
  stopped.pause()
  const late = held.pop()
  const node = await startNode()
  closers.push(node.close)
  await runs.query('update runs set due_at = now() where id = $1', [runId])
  await answer(write('of the second node'))
  await answer({ text: ['Done.'] })
  const run = await runs.ended(runId)
  stopped.resume()
  late?.(write('of the stopped node'))
  // The stopped node learns of the end of the run and cancels its call, in either order.
  await expect.poll(async () => (await fetch(`${stopped.base}/readyz`)).ok).toBe(true)
  await runs.start(agent.id, 'Another one, for which a node asks.')
  await answer({ text: ['Done.'] })
  expect(await runs.read(runId)).toEqual(run)
  expect(run.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 })
  expect((await runs.listMessages(runId)).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  const notes = await runs.query(`select record->'fields'->>'name' as name from record_versions where kind = 'stopped'`)
  expect(notes).toEqual([{ name: 'of the second node' }])
})
