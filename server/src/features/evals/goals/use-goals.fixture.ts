import { expect } from 'vitest'
import type { TestApp } from '../../../test/app.ts'
import { runPass } from '../../../test/run-pass.ts'
import type { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { createGoalWork } from './pursue-goals.ts'

/** Ways to make goals in the organization of a scene, and to work on them by hand. */
export const useGoals = (app: TestApp, { call }: Pick<ReturnType<typeof useAgents>, 'call'>) => {
  const read = async (id: string) => (await call('GET', `/v1/goals/${id}`)).body.data.goal
  const pass = async () => {
    // Longer than a goal waits between two looks at its run.
    app.clock.advance({ seconds: 61 })
    await runPass(app.app.deps, createGoalWork(app.app.deps))
  }
  return {
    read,
    pass,
    create: async (given: object) => {
      const { status, body } = await call('POST', '/v1/goals', { objective: 'Say 42.', ...given })
      if (status !== 201) throw new Error(`No goal was made: ${status} ${JSON.stringify(body)}`)
      return body.data.goal
    },
    act: async (id: string, act: string, body: object = {}) => {
      const answer = await call('POST', `/v1/goals/${id}/${act}`, body)
      expect(answer.status).toBe(200)
      return answer.body.data.goal
    },
    attempts: async (id: string) => (await call('GET', `/v1/goals/${id}/attempts`)).body.data.attempts,
  }
}
