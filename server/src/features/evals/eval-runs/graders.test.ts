import { beforeAll, expect, test } from 'vitest'
import { useRuns } from '../../../agent-runtime/use-runs.fixture.ts'
import { useEvals } from './use-evals.fixture.ts'

// Each grader that needs neither a model nor a person, on an answer that it passes and on one that it does not.

const runs = useRuns({ NOEMA_EMBEDDINGS: 'off' })
const { app, scene, createAgent, scripted, query } = runs
const { create, start, ended, results } = useEvals(runs)

type Graded = { grader: string; passed: boolean; score: number; reason?: string }

beforeAll(async () => {
  for (const [id, text] of [
    ['tide', 'The harbor has a high tide at noon.'],
    ['harbor', 'The harbor has three piers and a lighthouse.'],
  ])
    await scene.brain.call('POST', '/documents', { id, title: id, text })
})

/** The grades of the only case, by the names of the graders: true, or the reason why it did not pass. */
const grade = async (target: object, graders: readonly object[], input = 'When is high tide in the harbor?') => {
  const made = await create({ target, cases: [{ id: 'one', input }], graders })
  const [result] = await results((await ended(await start(made.id))).id)
  expect(result.error).toBeUndefined()
  return Object.fromEntries(result.grades.map(({ grader, passed, reason }: Graded) => [grader, passed ? true : reason]))
}

const quoting = (more: object = {}) =>
  createAgent({ model: 'noema/extractive', brains: [{ handle: 'brain', access: 'read_only' }], ...more })

test('EVL-39 an answer of an agent is graded by its citations, its tools, its cost and its time', async () => {
  const { id: agentId } = await quoting()
  const tool = 'knowledge_context'
  expect(
    await grade({ agentId }, [
      { type: 'cited', name: 'one' },
      { type: 'cited', name: 'nine', min: 9 },
      { type: 'operations', name: 'searched', called: [tool] },
      { type: 'operations', name: 'asked', called: ['ask_human'] },
      { type: 'operations', name: 'silent', notCalled: [tool] },
      { type: 'found', name: 'read', items: [{ type: 'document', id: 'tide' }] },
      { type: 'not_found', name: 'unread', items: [{ type: 'document', id: 'tide', brain: 'brain' }] },
      { type: 'limits', name: 'free', maxCostCents: 0 },
    ]),
  ).toEqual({
    one: true,
    nine: expect.stringMatching(/^The answer has [1-8] citations, and needs 9\.$/),
    searched: true,
    asked: 'It did not call ask_human.',
    silent: `It called ${tool}.`,
    read: true,
    unread: 'It read the document "tide" of brain.',
    free: true,
  })
})

test('EVL-39 an answer that took longer than its limit does not pass', async () => {
  scripted.models.says(() => {
    app.clock.advance({ seconds: 3 })
    return { text: ['42'] }
  })
  const { id: agentId } = await createAgent()
  const { slow } = await grade({ agentId }, [{ type: 'limits', name: 'slow', maxMilliseconds: 2_000 }])
  expect(slow).toMatch(/^It took \d+ ms\.$/)
})

test('EVL-39 a citation of a version that was replaced before it is graded does not pass', async () => {
  const { id: agentId } = await quoting()
  const made = await create({
    target: { agentId },
    cases: [{ id: 'one', input: 'When is high tide?' }],
    graders: [{ type: 'cited' }],
  })
  const blocker = await app.database.pool.connect()
  await blocker.query('begin; lock table eval_results in share mode')
  const id = await start(made.id)
  const readState = async () => (await query('select state from runs where agent_id = $1', [agentId]))[0]?.state
  await expect.poll(readState).toBe('completed')
  await scene.brain.call('POST', '/documents', {
    id: 'tide',
    title: 'tide',
    text: 'The harbor has a high tide at one.',
  })
  await blocker.query('commit')
  blocker.release()
  const [result] = await results((await ended(id)).id)
  expect(result.grades).toEqual([
    {
      ...{ grader: 'cited', passed: false, score: 0 },
      reason: 'The answer cites the document "tide" of brain in a version that is no longer current.',
    },
  ])
})

test('EVL-39 a text is graded as a whole, by its parts, and by a schema', async () => {
  scripted.models.says(() => ({ text: ['{ "tide": "noon", "pier": 3 }'] }))
  const { id: agentId } = await createAgent()
  const schema = (required: string[]) => ({ type: 'object', required })
  expect(
    await grade({ agentId }, [
      { type: 'equals', name: 'value', value: '{"pier":3,"tide":"noon"}' },
      { type: 'equals', name: 'other', value: 'noon' },
      { type: 'contains', name: 'any-case', values: ['NOON'] },
      { type: 'contains', name: 'case', values: ['NOON'], ignoreCase: false },
      { type: 'not_contains', name: 'without', values: ['midnight'] },
      { type: 'not_contains', name: 'with', values: ['Noon'] },
      { type: 'regex', name: 'pattern', pattern: '"pier": \\d' },
      { type: 'regex', name: 'no-pattern', pattern: 'Noon' },
      { type: 'json_schema', name: 'fits', schema: schema(['tide']) },
      { type: 'json_schema', name: 'lacks', schema: schema(['ebb']) },
    ]),
  ).toEqual({
    value: true,
    other: 'The answer is not "noon".',
    'any-case': true,
    case: 'The answer does not have "NOON".',
    without: true,
    with: 'The answer has "Noon".',
    pattern: true,
    'no-pattern': 'The answer does not match "Noon".',
    fits: true,
    lacks: expect.stringContaining('ebb'),
  })
})

test('EVL-39 the items of a search are measured by recall, precision and order', async () => {
  const target = { brain: 'brain', read: 'search', mode: 'lexical' }
  const tide = { type: 'document', id: 'tide' }
  const missing = { type: 'document', id: 'dock' }
  const found = (name: string, more: object) => ({ type: 'found', name, ...more })
  // Both documents are found, the one about the tide first.
  const grades = await grade(
    target,
    [
      found('recall', { items: [tide, missing], threshold: 0.5 }),
      found('all', { items: [tide, missing] }),
      found('precision', { items: [tide], metric: 'precision' }),
      found('first', { items: [tide], metric: 'precision', top: 1 }),
      found('order', { items: [tide], metric: 'ndcg' }),
      found('best', { items: [tide, missing], metric: 'ndcg', top: 1 }),
      found('last', { items: [{ type: 'document', id: 'harbor' }], metric: 'ndcg' }),
    ],
    'high tide of the harbor at noon',
  )
  expect(grades).toEqual({
    recall: true,
    all: 'It did not read the document "dock".',
    precision: 'Its precision is 0.50.',
    first: true,
    order: true,
    best: true,
    last: 'Its ndcg is 0.63.',
  })
})
