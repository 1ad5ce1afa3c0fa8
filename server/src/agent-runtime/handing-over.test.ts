import { expect, test } from 'vitest'
import { readRequest, useRuns } from './use-runs.fixture.ts'

// The app of these tests answers requests alone: other nodes work on the runs.
const runs = useRuns({ NOEMA_ROLES: 'http' })
const startWorker = () => runs.app.startNode({ NOEMA_ROLES: 'worker' })

test('D-82 a node that shuts down gives its runs back: another one goes on with them at once, and repeats open calls of models', async () => {
  let isSilent = true
  runs.scripted.models.says(() => (isSilent ? { text: ['It begins'], ending: 'hang' } : { text: ['Done.'] }))
  const first = await startWorker()
  const agent = await runs.createAgent()
  const ids = await Promise.all(Array.from({ length: 6 }, () => runs.start(agent.id)))
  await runs.scripted.models.received(6)
  isSilent = false
  await first.close()
  const [row] = await runs.query('select count(*)::int as leased from runs where lease is not null')
  expect(row?.leased).toBe(0)
  const second = await startWorker()
  for (const id of ids) {
    const run = await runs.ended(id)
    expect(run).toMatchObject({ state: 'completed', usage: { inputTokens: 10, outputTokens: 5 } })
    expect(await runs.listOperations(id)).toMatchObject([{ type: 'llm_call', status: 'succeeded', attempt: 2 }])
    expect((await runs.listMessages(id)).map(({ text }) => text)).toEqual(['Go.', 'Done.'])
  }
  await second.close()
})

test('D-75 a run that kills its node in one operation again and again fails after five times, and kills no more', async () => {
  runs.scripted.models.says([])
  const agent = await runs.createAgent()
  const runId = await runs.start(agent.id)
  // The state after five nodes died in the first operation.
  await runs.query(`update runs set state = 'running', lease = 'dead', due_at = now(), failures = 4 where id = $1`, [
    runId,
  ])
  const node = await startWorker()
  const before = runs.scripted.models.requests.length
  expect(await runs.ended(runId)).toMatchObject({ state: 'failed', failureCategory: 'internal' })
  expect(runs.scripted.models.requests).toHaveLength(before)
  await node.close()
})

test('D-74 a hundred runs that wait for people have no lease and no turn, and all of them go on when they are answered', async () => {
  const node = await startWorker()
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (step > 0) return { text: results }
    return { toolCalls: [{ id: 'q', name: 'ask_human', input: { question: 'Well?' } }] }
  })
  const agent = await runs.createAgent({ tools: ['ask_human'] })
  const ids = await Promise.all(Array.from({ length: 100 }, () => runs.start(agent.id)))
  const count = async (what: string) =>
    (await runs.query(`select count(*)::int as found from runs where id = any($1) and ${what}`, [ids]))[0]?.found
  await expect.poll(() => count(`state = 'waiting'`)).toBe(100)
  expect(await count('lease is not null or due_at is not null or active_since is not null')).toBe(0)
  const tasks = (await runs.call('GET', '/v1/tasks?state=open&limit=500')).body.data.tasks
  expect(tasks).toHaveLength(100)
  for (let from = 0; from < tasks.length; from += 10) {
    const some: { taskId: string }[] = tasks.slice(from, from + 10)
    const answers = await Promise.all(
      some.map(({ taskId }) => runs.call('POST', `/v1/tasks/${taskId}/complete`, { answer: 'Yes.' })),
    )
    expect(answers.map(({ status }) => status)).toEqual(some.map(() => 200))
  }
  await expect.poll(() => count(`state = 'completed'`)).toBe(100)
  await node.close()
})
