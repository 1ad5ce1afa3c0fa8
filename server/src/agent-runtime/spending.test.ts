import { beforeAll, expect, test } from 'vitest'
import { readRequest, useRuns } from './use-runs.fixture.ts'

const runs = useRuns({ NOEMA_PROVIDER_ALLOW: '127.0.0.1:*,[::1]:*,localhost:*' })

// What a model costs is known by its provider's address, of which this path looks to be one: 1.25 dollars for a million tokens.
beforeAll(async () => {
  const { port } = new URL(runs.scripted.models.url)
  const baseUrl = `http://localhost:${port}/x.openai.azure.com/v1`
  const body = { kind: 'openai-compatible', baseUrl, apiKey: 'scripted' }
  expect((await runs.call('PUT', '/v1/providers/priced', body)).status).toBeLessThan(300)
})

const centOfTokens = 8_000

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

test('D-71 RUN-03 a run ends at what its agent may spend, and nothing more is asked: what it cost until then is told', async () => {
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

test('D-71 RUN-03 an answer that comes with the last cent that an agent may spend is an answer', async () => {
  sayFourSteps()
  const run = await runs.ended(await runs.start((await createSpending(4)).id))
  expect(run).toMatchObject({ state: 'completed', usage: { inputTokens: 4 * centOfTokens, costCents: 4 } })
})
