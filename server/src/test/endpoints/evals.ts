import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { asIs, at, type EndpointRows, inRuns, plain } from './row.ts'

// Evals, their runs, and rubrics.

const toEval = ({ brain }: Pick<TestBrain, 'brain'>) => ({
  name: 'Voyager',
  target: { brain: brain.handle, read: 'search' },
  cases: [
    {
      id: 'launch',
      input: 'When was Voyager 1 launched?',
      expected: { found: [{ type: 'record', id: 'voyager-1' }], evidence: 'weak' },
    },
  ],
  graders: [{ type: 'found' }, { type: 'evidence' }],
})

const newEval = async (test: TestApp, brain: TestBrain): Promise<{ id: string }> => {
  const { body } = await test.request('POST', '/v1/evals', { key: brain.key, body: toEval(brain) })
  return { id: body.data.eval.id }
}

const onEval = async (test: TestApp, brain: TestBrain) => ({ params: await newEval(test, brain) })

/** A run that no node works on, so that its answers are the same each time. */
const onRun = async (test: TestApp, brain: TestBrain) => {
  const { id } = await newEval(test, brain)
  const { body } = await test.request('POST', `/v1/evals/${id}/runs`, { key: brain.key, body: {} })
  const run = body.data.run.id as string
  await test.database.pool.query("update eval_runs set due_at = due_at + interval '1 year' where id = $1", [run])
  return { params: { id: run } }
}

const criteria = [{ id: 'dated', text: 'The answer has a date.', required: true }]

const newRubric = async (test: TestApp, brain: TestBrain) => {
  const name = fresh('rubric')
  await test.request('PUT', `/v1/rubrics/${name}`, { key: brain.key, body: { criteria } })
  return { params: { name } }
}

const exampleRubric = async (test: TestApp, brain: TestBrain) => {
  await test.request('PUT', '/v1/rubrics/dated', { key: brain.key, body: { criteria } })
  return { params: { name: 'dated' } }
}

const planted = { params: { name: 'planted' } }

export const evalsRows = {
  'evals.list': { needs: 'management', call: plain, aimed: asIs },
  'evals.get': { needs: 'management', call: onEval, aimed: at('eval') },
  'evals.create': {
    needs: 'management',
    call: (_test, brain) => ({ body: toEval(brain) }),
    aimed: (brain) => [{ body: toEval(brain) }],
  },
  'evals.patch': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onEval(test, brain)), body: { name: 'Voyager 1' } }),
    aimed: at('eval', {}),
  },
  'evals.addCases': {
    needs: 'management',
    call: async (test, brain) => ({
      ...(await onEval(test, brain)),
      body: { cases: [{ id: 'speed', input: 'How fast is Voyager 1?', expected: { evidence: 'none' } }] },
    }),
    aimed: at('eval', { cases: [] }),
  },
  'evals.versions': { needs: 'management', call: onEval, aimed: at('eval') },
  'evals.cases': { needs: 'management', call: onEval, aimed: at('eval') },
  'evals.run': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onEval(test, brain)), body: {} }),
    aimed: at('eval', {}),
    unaudited: inRuns,
  },
  'evals.runs': {
    needs: 'management',
    call: onEval,
    aimed: at('eval'),
    example: async (test, brain) => {
      const { params } = await onEval(test, brain)
      await test.request('POST', `/v1/evals/${params.id}/runs`, { key: brain.key, body: {} })
      await test.database.pool.query("update eval_runs set due_at = due_at + interval '1 year' where eval_id = $1", [
        params.id,
      ])
      return { params }
    },
  },
  'evalRuns.get': { needs: 'management', call: onRun, aimed: at('evalRun') },
  'evalRuns.cases': {
    needs: 'management',
    call: onRun,
    aimed: at('evalRun'),
    example: async (test, brain) => {
      const { params } = await onRun(test, brain)
      const grades = [{ grader: 'found', passed: false, score: 0, reason: 'It did not read the record "voyager-1".' }]
      await test.database.pool.query(
        `insert into eval_results (organization_id, eval_run_id, case_id, trial, state, output, grades, passed, score,
           milliseconds)
         select organization_id, id, 'launch', 1, 'done', 'Voyager 2', $2, false, 0, 12 from eval_runs where id = $1`,
        [params.id, JSON.stringify(grades)],
      )
      return { params }
    },
  },
  'evalRuns.cancel': { needs: 'management', call: onRun, aimed: at('evalRun'), unaudited: inRuns },
  'evals.delete': { needs: 'management', call: onEval, aimed: at('eval') },
  'rubrics.list': { needs: 'management', call: plain, aimed: asIs },
  'rubrics.get': { needs: 'management', call: newRubric, aimed: () => [planted], example: exampleRubric },
  'rubrics.versions': { needs: 'management', call: newRubric, aimed: () => [planted], example: exampleRubric },
  'rubrics.put': {
    needs: 'management',
    call: () => ({ params: { name: fresh('rubric') }, body: { criteria } }),
    aimed: () => [{ ...planted, body: { criteria } }],
    example: () => ({ params: { name: 'dated' }, body: { criteria } }),
  },
  'rubrics.delete': { needs: 'management', call: newRubric, aimed: () => [planted] },
} satisfies EndpointRows
