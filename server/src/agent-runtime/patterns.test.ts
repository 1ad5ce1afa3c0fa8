import { expect, test } from 'vitest'
import { useRuns } from './use-runs.fixture.ts'

const runs = useRuns()

test('D-71 an output whose check takes too long fails the run at once: the model is not asked again, and this thread does not check', async () => {
  const agent = await runs.createAgent({
    outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
  })
  const { length: before } = runs.scripted.models.requests
  runs.scripted.models.says(() => ({ text: [JSON.stringify({ a: `${'a'.repeat(60)}!` })] }))
  const run = await runs.ended(await runs.start(agent.id))
  expect(run).toMatchObject({
    ...{ state: 'failed', failureCategory: 'validation' },
    failureReason: "Its output could not be checked by the agent's outputSchema within 100 milliseconds.",
  })
  expect(runs.scripted.models.requests.length - before).toBe(1)
  // The check of a matching answer ends within the time, and another answer is requested again.
  let asked = 0
  runs.scripted.models.says(() => ({ text: [asked++ === 0 ? '{"a":1}' : '{"a":"aaa"}'] }))
  expect(await runs.ended(await runs.start(agent.id))).toMatchObject({ state: 'completed', output: { a: 'aaa' } })
})
