import { expect, test } from 'vitest'
import { centOfTokens, pricedSettings, usePricedProvider } from './use-priced-provider.fixture.ts'
import { readRequest, useRuns } from './use-runs.fixture.ts'

const runs = useRuns(pricedSettings)
usePricedProvider(runs)

const createSpending = (maxCostCents: number, maxSteps = 10) =>
  runs.createAgent({
    model: 'priced/gpt-5',
    brains: [{ handle: 'brain', access: 'read_only' }],
    limits: { maxSteps, maxCostCents },
  })

/** Each step costs a cent, and asks for a tool until the fourth. */
const sayFourSteps = () =>
  runs.scripted.models.says((request) => {
    const { step } = readRequest(request)
    const usage = { input: centOfTokens, output: 0 }
    if (step === 3) return { text: ['Done.'], usage }
    return { toolCalls: [{ id: 'call', name: 'knowledge_search', input: { query: `word ${step}` } }], usage }
  })

test("D-71 RUN-03 a run ends at its agent's spending limit and asks no more; its cost so far is reported", async () => {
  sayFourSteps()
  const run = await runs.ended(await runs.start((await createSpending(2)).id))
  expect(run).toMatchObject({
    ...{ state: 'failed', failureCategory: 'limit' },
    failureReason: 'It cost as much as its agent may spend, which is 2 cents.',
    usage: { inputTokens: 2 * centOfTokens, costCents: 2 },
  })
  const operations = await runs.listOperations(run.runId)
  expect(operations.map(({ type, status }) => [type, status])).toEqual([
    ['llm_call', 'succeeded'],
    ['tool_call', 'succeeded'],
    ['llm_call', 'succeeded'],
    ['tool_call', 'succeeded'],
  ])
})

/** An agent whose first step starts runs of others, and those others, whose steps cost a cent each. */
const createTree = async (names: readonly string[], maxCostCents?: number) => {
  const others = await Promise.all(
    names.map((name) => runs.createAgent({ name, model: `priced/gpt-5`, tools: ['ask_human'], instructions: name })),
  )
  const limits = maxCostCents === undefined ? {} : { limits: { maxSteps: 10, maxCostCents } }
  const tools = others.map(({ id }) => ({ agent: id }))
  return runs.createAgent({ name: 'Chief', model: 'priced/gpt-5', tools, instructions: 'chief', ...limits })
}

const toUse = ({ usage }: { usage: { inputTokens: number; costCents: number } }) => [usage.inputTokens, usage.costCents]

test('D-71 RUN-03 the spending limit of a tree of runs stops it while its runs spend in parallel, though none has reached it alone', async () => {
  const names = ['ask_left', 'ask_right']
  const chief = await createTree(['left', 'right'], 4)
  runs.scripted.models.says((request) => {
    const usage = { input: centOfTokens, output: 0 }
    const { step } = readRequest(request)
    const isChief = request.body.messages[0]?.content === 'chief'
    if (isChief) return { toolCalls: names.map((name) => ({ id: name, name, input: { input: 'Go.' } })), usage }
    if (step === 5) return { text: ['Done.'], usage }
    return { toolCalls: [{ id: 'call', name: 'no_such_tool', input: {} }], usage }
  })
  const run = await runs.ended(await runs.start(chief.id))
  expect(run).toMatchObject({ state: 'failed', failureCategory: 'limit' })
  const children = await runs.query('select id from runs where parent_run_id = $1', [run.runId])
  const ended = await Promise.all(children.map(({ id }) => runs.read(String(id))))
  expect(ended.map(({ state, failureCategory }) => [state, failureCategory])).toEqual([
    ['failed', 'limit'],
    ['failed', 'limit'],
  ])
  // The last cent may be spent by a step of each at the same time.
  expect(run.usage.costCents).toBeGreaterThanOrEqual(4)
  expect(run.usage.costCents).toBeLessThanOrEqual(5)
  expect(run.usage.costCents).toBe(1 + ended.reduce((sum, { usage }) => sum + usage.costCents, 0))
})

test('RUN-03 a run that is cancelled has used what the runs below it used, at every depth', async () => {
  const usage = { input: centOfTokens, output: 0 }
  const last = await runs.createAgent({
    name: 'last',
    model: 'priced/gpt-5',
    tools: ['ask_human'],
    instructions: 'last',
  })
  const middle = await runs.createAgent({
    ...{ name: 'middle', model: 'priced/gpt-5', instructions: 'middle', tools: [{ agent: last.id }] },
  })
  const top = await runs.createAgent({
    ...{ name: 'top', model: 'priced/gpt-5', instructions: 'top', tools: [{ agent: middle.id }] },
  })
  runs.scripted.models.says((request) => {
    const { content } = request.body.messages[0] ?? {}
    const next = content === 'top' ? 'ask_middle' : content === 'middle' ? 'ask_last' : undefined
    if (next !== undefined) return { toolCalls: [{ id: 'call', name: next, input: { input: 'Go on.' } }], usage }
    return { toolCalls: [{ id: 'call', name: 'ask_human', input: { question: 'Well?' } }], usage }
  })
  const runId = await runs.start(top.id)
  const list = () =>
    runs.query('select id, state from runs where agent_id = any($1) order by depth', [[top.id, middle.id, last.id]])
  await expect.poll(async () => (await list()).map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting'])
  await runs.call('POST', `/v1/runs/${runId}/cancel`, {})
  const uses = await Promise.all((await list()).map(async ({ id }) => toUse(await runs.read(String(id)))))
  expect(uses).toEqual([3, 2, 1].map((cents) => [cents * centOfTokens, cents]))
})

test('D-71 RUN-03 an answer that comes with the last cent that an agent may spend is an answer', async () => {
  sayFourSteps()
  const run = await runs.ended(await runs.start((await createSpending(4)).id))
  expect(run).toMatchObject({ state: 'completed', usage: { inputTokens: 4 * centOfTokens, costCents: 4 } })
})
