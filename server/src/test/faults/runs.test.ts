import { expect, test } from 'vitest'
import type { Step } from '../models/step.ts'
import { useKilledNodes } from './use-killed-nodes.fixture.ts'

// Real processes work on these runs; the app of the tests only answers requests.
const runs = useKilledNodes()

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

test('RUN-04 D-75 kill -9 at every boundary of a run of seven steps with parallel calls: each is done once, and the run continues', async () => {
  runs.holdModels()
  const agent = await runs.createAgent({ brains: [{ handle: 'brain', access: 'read_write' }] })
  const runId = await runs.start(agent.id)
  let kills = 0
  const kill = async (...given: Parameters<typeof runs.killAt>) => {
    await runs.killAt(...given)
    kills++
  }
  const journaled = (type: string) => ({
    before: 'update on run_operations',
    when: `new.type = '${type}' and new.status = 'succeeded'`,
  })
  for (const [step, calls] of callsOfStep.entries()) {
    const answer = () => runs.answer(toStep(step))
    // During the model call.
    const node = await runs.startNode()
    await runs.untilAsked()
    await node.kill()
    kills++
    runs.forgetRequests()
    await runs.passLeases()
    // Between its last token and the journal.
    await kill(journaled('llm_call'), answer)
    if (calls === 0) continue
    // While its calls are made.
    await kill({ before: 'insert on changes' }, answer)
    // Between the effect and the journal.
    await kill(journaled('tool_call'))
  }
  await runs.startNode()
  await runs.answer(toStep(callsOfStep.length - 1))
  const run = await runs.ended(runId)
  expect(kills).toBe(2 * 7 + 2 * 6)
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
}, 900_000)

test('RUN-04 D-75 a node that is suspended past its lease and resumed stores nothing more of the run, and writes nothing to a Brain', async () => {
  const held = runs.holdModels()
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
  const stopped = await runs.startNode()
  const runId = await runs.start(agent.id)
  await expect.poll(() => held.length).toBe(1)
  stopped.pause()
  const late = held.pop()
  await runs.startNode()
  await runs.passLeases()
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
