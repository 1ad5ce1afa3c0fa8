import type { TestApp, TestBrain } from '../app.ts'
import { asIs, at, type EndpointRows, inRuns, plain } from './row.ts'

// Distillations of runs.

const toGiven = ({ brain }: Pick<TestBrain, 'brain'>) => ({
  from: { outcome: ['completed'] },
  into: { brain: brain.handle },
  allowWider: true,
})

/** An organization has few at once. */
const endOthers = (test: TestApp, { organizationId }: TestBrain) =>
  test.database.pool.query('update distillations set due_at = null where organization_id = $1', [organizationId])

/** A distillation that no node works on, so that its answers are the same each time. */
const start = async (test: TestApp, brain: TestBrain): Promise<{ id: string }> => {
  await endOthers(test, brain)
  const { body } = await test.request('POST', '/v1/distillations', { key: brain.key, body: toGiven(brain) })
  const id = body.data.distillation.id as string
  await test.database.pool.query("update distillations set due_at = due_at + interval '1 year' where id = $1", [id])
  return { id }
}

const onOne = async (test: TestApp, brain: TestBrain) => ({ params: await start(test, brain) })

const content = {
  ...{ finding: 'no_evidence', seen: 2, flags: [], wordedBy: 'service' },
  citations: [{ runId: 'run_01kthf3000000000000000000b', operationId: 'opr_01kthf3000000000000000000c' }],
  lesson: {
    situation: 'Someone asks "When does Voyager 1 return?".',
    advice: 'Say that you do not know.',
    outcome: '',
  },
}

export const distillationsRows = {
  'distillations.list': { needs: 'management', call: plain, aimed: asIs },
  'distillations.get': {
    needs: 'management',
    call: onOne,
    aimed: at('distillation'),
    example: async (test, brain) => {
      const { params } = await onOne(test, brain)
      await test.database.pool.query(
        `insert into distillation_items (organization_id, distillation_id, number, brain, type, item, content, outcome)
         values ($1, $2, 1, $3, 'lesson', 'lesson-5c1b7d0a2e9f4c86', $4, 'found')`,
        [brain.organizationId, params.id, brain.brain.id, JSON.stringify(content)],
      )
      return { params }
    },
  },
  'distillations.start': {
    needs: 'management',
    // A Brain of its own gets the items, so that the one that others look at stays as it is.
    call: async (test, brain) => {
      await endOthers(test, brain)
      await test.request('PUT', '/v1/brains/learned', { key: brain.key, body: {} })
      return { body: { ...toGiven(brain), into: { brain: 'learned' } } }
    },
    example: async (test, brain) => {
      await endOthers(test, brain)
      return { body: toGiven(brain) }
    },
    aimed: (brain) => [{ body: toGiven(brain) }],
    unaudited: inRuns,
  },
  'distillations.cancel': { needs: 'management', call: onOne, aimed: at('distillation'), unaudited: inRuns },
} satisfies EndpointRows
