import type { TestApp, TestBrain } from '../app.ts'
import { insist } from './insist.ts'

// Goals and runs of own steps with a secret in everything that they keep.

/** A run of its caller's own steps, with one of them. */
export const plantFlow = async (test: TestApp, { key }: TestBrain): Promise<string> => {
  const body = { name: 'zqorganization-flow', input: 'zqorganization-input' }
  const { run } = await insist(test.request('POST', '/v1/flows', { key, body }))
  const step = { input: 'zqorganization-given', output: 'zqorganization-step' }
  await insist(test.request('PUT', `/v1/runs/${run.runId}/steps/planted`, { key, body: step }))
  return run.runId
}

/** A goal with a graded attempt, on which no node works. */
export const plantGoal = async (test: TestApp, { key, organizationId }: TestBrain, agentId: string, run: string) => {
  const { goal } = await insist(
    test.request('POST', '/v1/goals', {
      key,
      body: {
        ...{ agentId, objective: 'zqorganization-objective' },
        criteria: [{ type: 'contains', values: ['zqorganization-criterion'] }],
      },
    }),
  )
  await insist(test.request('POST', `/v1/goals/${goal.id}/pause`, { key }))
  await test.database.pool.query(
    `insert into goal_attempts (organization_id, goal_id, number, run_id, state, output, created_at)
     values ($1, $2, 9, $3, 'judging', 'zqorganization-output', now())`,
    [organizationId, goal.id, run],
  )
  return goal.id as string
}
