import { expect, test } from 'vitest'
import { centOfTokens, pricedSettings, usePricedProvider } from '../../../agent-runtime/use-priced-provider.fixture.ts'
import { useRuns } from '../../../agent-runtime/use-runs.fixture.ts'
import { useEvals } from './use-evals.fixture.ts'

// The cost of cases whose model has a price.

const runs = useRuns({ NOEMA_EMBEDDINGS: 'off', ...pricedSettings })
usePricedProvider(runs)
const { create, start, ended, results } = useEvals(runs)

test('EVL-39 EVL-05 an answer that costs more than its limit does not pass, and the run says what all cases cost', async () => {
  runs.scripted.models.says(() => ({ text: ['42'], usage: { input: 2 * centOfTokens, output: 0 } }))
  const { id: agentId } = await runs.createAgent({ model: 'priced/gpt-5' })
  const made = await create({
    target: { agentId },
    cases: ['one', 'two'].map((id) => ({ id, input: 'What is it?' })),
    graders: [
      { type: 'limits', name: 'enough', maxCostCents: 2 },
      { type: 'limits', name: 'short', maxCostCents: 1.5 },
    ],
  })
  const run = await ended(await start(made.id))
  expect(run.summary).toMatchObject({ cases: 2, passed: 0, costCents: 4 })
  const [first] = await results(run.id)
  expect(first).toMatchObject({
    grades: [
      { grader: 'enough', passed: true },
      { grader: 'short', passed: false, reason: 'It cost 2.00 cents.' },
    ],
  })
})
