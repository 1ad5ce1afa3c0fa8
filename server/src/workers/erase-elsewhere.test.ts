import { expect, test } from 'vitest'
import { useAgents } from '../features/agents/agents/use-agents.fixture.ts'
import { createEvalWork } from '../features/evals/eval-runs/run-evals.ts'
import { useEvals } from '../features/evals/eval-runs/use-evals.fixture.ts'
import { addBrain } from '../test/app.ts'
import { runPass } from '../test/run-pass.ts'
import { createEraseElsewhere } from './erase-elsewhere.ts'

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'off' })
const { app, call, scene, createAgent } = agents
const { create, start } = useEvals(agents)
const query = async (text: string, values: unknown[]) => (await app.database.pool.query(text, values)).rows
const pass = () => runPass(app.app.deps, createEvalWork(app.app.deps))

test.each([1, 2, 3, 4, 5])(
  'EVL-11 an answer that is graded at step %i of the erasing of its Brain is erased',
  async (step) => {
    const brain = await addBrain(app, scene.member, `gone-${step}`)
    const agent = await createAgent({ brains: [{ handle: brain.brain.handle }] })
    const cases = [{ id: 'code', input: 'The code of the vault?', expected: '4711' }]
    const made = await create({ target: { agentId: agent.id }, cases, graders: [{ type: 'contains' }] })
    const id = await start(made.id)
    await pass()
    const [run] = await query('select id from runs where agent_id = $1', [agent.id])
    await app.app.deps.runs.end({
      ...{ organizationId: scene.member.organizationId, id: run.id },
      ending: { state: 'completed', output: { text: 'The code is 4711.' } },
    })
    app.clock.advance({ seconds: 61 })
    await call('DELETE', `/v1/brains/${brain.brain.handle}`)
    const [{ brain_id: brainId }] = await query('select brain_id from brain_directory where id = $1', [brain.brain.id])
    let renewals = 0
    const renew = async () => {
      renewals++
      if (renewals === step) await pass()
      return true
    }
    const turn = { stopping: new AbortController().signal, renew }
    expect(await createEraseElsewhere(app.app.deps)(Number(brainId), turn)).toBe(true)
    const held = await query('select output from eval_results where eval_run_id = $1', [id])
    expect(JSON.stringify(held)).not.toContain('4711')
    await call('POST', `/v1/eval-runs/${id}/cancel`)
  },
)
