import { expect } from 'vitest'
import type { useAgents } from '../../agents/agents/use-agents.fixture.ts'

/** Ways to make and run evals in the organization of a scene. */
export const useEvals = ({ call }: Pick<ReturnType<typeof useAgents>, 'call'>) => {
  const read = async (id: string) => (await call('GET', `/v1/eval-runs/${id}`)).body.data.run
  return {
    create: async (given: object) => {
      const { status, body } = await call('POST', '/v1/evals', { name: 'Eval', ...given })
      if (status !== 201) throw new Error(`No eval was made: ${status} ${JSON.stringify(body)}`)
      return body.data.eval
    },
    /** Starts a run, and answers its id. */
    start: async (evalId: string, given: object = {}): Promise<string> => {
      const { status, body } = await call('POST', `/v1/evals/${evalId}/runs`, given)
      if (status !== 201) throw new Error(`No run was started: ${status} ${JSON.stringify(body)}`)
      return body.data.run.id
    },
    read,
    /** Waits for the end of a run. */
    ended: async (id: string) => {
      await expect.poll(async () => (await read(id)).completedAt, { interval: 50 }).not.toBeNull()
      return read(id)
    },
    results: async (id: string, query = '') =>
      (await call('GET', `/v1/eval-runs/${id}/cases?${query}`)).body.data.cases,
  }
}
