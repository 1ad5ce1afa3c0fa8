import { expect, test } from 'vitest'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { createEvalWork } from '../eval-runs/run-evals.ts'
import { createChangeEvalWork } from './run-change-evals.ts'
import { useGate } from './use-gate.fixture.ts'

// Required evals with rubrics. No node works in the background here: the test answers for the judge.

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'off' })
const { app, call, scene, createAgent } = agents
const { create, target, harbor, stage, put, read, gated } = useGate(agents)

/** Ends the runs of judges: the criterion `plain` passes, and no other one. */
const judge = async () => {
  const { rows } = await app.database.pool.query('select id, input from runs where completed_at is null')
  for (const { id, input } of rows) {
    const verdict = /"verdict":"([0-9a-f]+)"/.exec(input)?.[1]
    const criteria = [...input.matchAll(/^- (\w+): /gm)].map(([, name]) => ({ id: name, pass: name === 'plain' }))
    await app.app.deps.runs.end({
      ...{ organizationId: scene.member.organizationId, id },
      ending: { state: 'completed', output: { verdict, criteria } },
    })
  }
}

test('GAT-03 a run that an earlier version of a rubric judged is not compared with one by the current version', async () => {
  const rubric = (id: string) => call('PUT', '/v1/rubrics/tone', { criteria: [{ id, text: 'It is well said.' }] })
  await rubric('plain')
  const { brain } = await gated('rubrics')
  const judging = await create({
    target: target('rubrics'),
    cases: [harbor],
    graders: [{ type: 'rubric', rubric: 'tone', judge: (await createAgent({ name: 'Judge' })).id }],
  })
  await brain.call('PATCH', '', { reviewRules: { requireEval: judging.id } })
  const judged = async (id: string) => {
    for (let turns = 0; turns < 20; turns++) {
      const { eval: found } = await read(brain, id)
      if (found.state !== 'pending') return found
      await runPass(app.app.deps, createChangeEvalWork(app.app.deps))
      await runPass(app.app.deps, createEvalWork(app.app.deps))
      await judge()
      app.clock.advance({ seconds: 31 })
    }
    throw new Error('It was not over after 20 turns.')
  }
  const first = await judged(await stage(brain, put('pier', 'The pier is made of oak.')))
  expect(first).toMatchObject({ state: 'passed', before: { passed: 1 }, after: { passed: 1 } })
  // Without another rubric, one run of the Brain as it is serves both changes.
  const second = await judged(await stage(brain, put('buoy', 'The buoy is red.')))
  expect(second.before.evalRunId).toBe(first.before.evalRunId)
  await rubric('strict')
  const third = await judged(await stage(brain, put('rope', 'A rope.')))
  expect(third).toMatchObject({ state: 'passed', before: { passed: 0 }, after: { passed: 0 } })
})
