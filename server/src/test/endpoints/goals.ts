import { newId } from '../../shared/ids.ts'
import type { TestApp, TestBrain } from '../app.ts'
import { newAgent } from '../sample-agents.ts'
import { asIs, at, type EndpointRows, plain } from './row.ts'

// Goals of agents.

const toGoal = (agentId: string) => ({
  ...{ agentId, objective: 'Find out when Voyager 1 left the heliosphere.', budget: { runs: 5, costCents: 100 } },
  criteria: [{ type: 'regex', pattern: 'August 2012' }],
})

/** A goal that no node works on: it is inserted into the database directly, and is never due. */
const onGoal = async (test: TestApp, brain: TestBrain, state: 'active' | 'paused' = 'paused') => {
  const { agentId, objective, ...given } = toGoal(await newAgent(test, brain))
  const [id, conversation] = [newId('gol'), newId('cnv')]
  const createdBy = { type: 'key', id: brain.keyId }
  const [budget, criteria, maker] = [given.budget, given.criteria, createdBy].map((one) => JSON.stringify(one))
  await test.database.pool.query(
    `insert into goals (organization_id, id, agent_id, conversation_id, objective, criteria, pinned, budget, state,
       created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, '{}', $7, $10, $8, $9, $9)`,
    [brain.organizationId, id, agentId, conversation, objective, criteria, budget, maker, test.clock.now(), state],
  )
  return { params: { id } }
}

export const goalRows = {
  'goals.list': { needs: 'management', call: plain, aimed: asIs },
  'goals.get': { needs: 'management', call: onGoal, aimed: at('goal') },
  'goals.create': {
    needs: 'management',
    call: async (test, brain) => ({ body: toGoal(await newAgent(test, brain)) }),
    aimed: ({ agent }) => [{ body: toGoal(agent) }],
  },
  'goals.patch': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onGoal(test, brain)), body: { budget: { runs: 8 } } }),
    aimed: at('goal', { budget: {} }),
  },
  'goals.pause': {
    needs: 'management',
    call: (test, brain) => onGoal(test, brain, 'active'),
    aimed: at('goal'),
  },
  'goals.resume': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onGoal(test, brain)), body: { advice: 'Look at the magnetometer.' } }),
    aimed: at('goal', {}),
  },
  'goals.attempts': {
    needs: 'management',
    call: onGoal,
    aimed: at('goal'),
    example: async (test, brain) => {
      const { params } = await onGoal(test, brain)
      const grades = [{ grader: 'regex', passed: false, score: 0, reason: 'The answer does not match "August 2012".' }]
      await test.database.pool.query(
        `insert into goal_attempts (organization_id, goal_id, number, run_id, state, grades, passed, score, milliseconds,
           created_at, completed_at)
         select organization_id, id, 1, 'run_01', 'done', $2, false, 0, 1200, created_at, created_at from goals where id = $1`,
        [params.id, JSON.stringify(grades)],
      )
      return { params }
    },
  },
  'goals.abandon': { needs: 'management', call: onGoal, aimed: at('goal') },
} satisfies EndpointRows
