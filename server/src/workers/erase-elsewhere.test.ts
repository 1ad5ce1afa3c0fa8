import { expect, test } from 'vitest'
import { useAgents } from '../features/agents/agents/use-agents.fixture.ts'
import { createEvalWork } from '../features/evals/eval-runs/run-evals.ts'
import { useEvals } from '../features/evals/eval-runs/use-evals.fixture.ts'
import { createGoalWork } from '../features/evals/goals/pursue-goals.ts'
import { useGoals } from '../features/evals/goals/use-goals.fixture.ts'
import { addBrain, type TestBrain } from '../test/app.ts'
import { runPass } from '../test/run-pass.ts'
import { createEraseElsewhere } from './erase-elsewhere.ts'

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'off' })
const { app, call, scene, createAgent } = agents
const evals = useEvals(agents)
const goals = useGoals(app, agents)
const query = async (text: string, values: unknown[]) => (await app.database.pool.query(text, values)).rows
let made = 0

/** A Brain, an agent that reads it, and a rubric with a judge. */
const prepare = async () => {
  const brain = await addBrain(app, scene.member, `gone-${++made}`)
  const agent = await createAgent({ brains: [{ handle: brain.brain.handle }] })
  const judge = await createAgent({ name: 'Judge' })
  const rubric = { type: 'rubric', rubric: 'noema-grounded-answer', judge: judge.id }
  const readJudged = async () => JSON.stringify(await query('select input from runs where agent_id = $1', [judge.id]))
  return { brain, agentId: agent.id as string, rubric, readJudged }
}

/** Ends the run of an agent with an answer that has content of the Brain. */
const answer = async (agentId: string) => {
  const [run] = await query('select id from runs where agent_id = $1', [agentId])
  await app.app.deps.runs.end({
    ...{ organizationId: scene.member.organizationId, id: run.id },
    ending: { state: 'completed', output: { text: 'The code is 4711.' } },
  })
  app.clock.advance({ seconds: 61 })
}

/** Deletes a Brain and erases it, while another node does some work at one step. */
const erase = async ({ brain: { id, handle } }: TestBrain, step: number, work: () => Promise<unknown>) => {
  await call('DELETE', `/v1/brains/${handle}`)
  const [{ brain_id: brainId }] = await query('select brain_id from brain_directory where id = $1', [id])
  let renewals = 0
  const renew = async () => {
    renewals++
    if (renewals === step) await work()
    return true
  }
  const turn = { stopping: new AbortController().signal, renew }
  expect(await createEraseElsewhere(app.app.deps)(Number(brainId), turn)).toBe(true)
}

const steps = [1, 2, 3, 4, 5]

test.each(steps)('EVL-11 an answer that is graded at step %i of the erasing of its Brain is erased', async (step) => {
  const { brain, agentId, rubric, readJudged } = await prepare()
  const cases = [{ id: 'code', input: 'The code of the vault?', expected: 'A code.' }]
  const { id: evalId } = await evals.create({ target: { agentId }, cases, graders: [{ type: 'contains' }, rubric] })
  const id = await evals.start(evalId)
  const pass = () => runPass(app.app.deps, createEvalWork(app.app.deps))
  await pass()
  await answer(agentId)
  await erase(brain, step, pass)
  const held = await query('select output from eval_results where eval_run_id = $1', [id])
  expect(JSON.stringify(held)).not.toContain('4711')
  expect(await readJudged()).not.toContain('4711')
  await call('POST', `/v1/eval-runs/${id}/cancel`)
})

test.each(steps)('GOL-09 an answer that is judged at step %i of the erasing of its Brain is erased', async (step) => {
  const { brain, agentId, rubric, readJudged } = await prepare()
  const { id } = await goals.create({ agentId, criteria: [rubric] })
  await goals.pass()
  await answer(agentId)
  await erase(brain, step, () => runPass(app.app.deps, createGoalWork(app.app.deps)))
  expect(await readJudged()).not.toContain('4711')
  await goals.act(id, 'abandon')
})
