import { type Grader, grader } from '@noema/contracts/graders.ts'
import { expect, test } from 'vitest'
import { FieldProblem } from '../../components/form/problems.ts'
import { newGrader, toGraderPaths, toGraderValues } from './grader-values.ts'
import { toGrader } from './to-grader.ts'

const given: Grader[] = [
  { type: 'equals', value: '42', ignoreCase: false, name: 'exact', weight: 2 },
  { type: 'contains', values: ['two\nlines', 'one'] },
  { type: 'not_contains' },
  { type: 'regex', pattern: '^\\d+$', ignoreCase: true },
  { type: 'json_schema', schema: { type: 'object' } },
  { type: 'found', items: [{ type: 'document', id: 'a b', brain: 'harbor' }], metric: 'ndcg', top: 3, threshold: 0.5 },
  { type: 'not_found', items: [{ type: 'record', id: 'ada' }] },
  { type: 'cited', min: 2 },
  { type: 'evidence', is: 'weak' },
  { type: 'operations', called: ['search'], notCalled: ['write'] },
  { type: 'limits', maxCostCents: 0.5, maxMilliseconds: 1_500 },
  { type: 'rubric', rubric: 'polite', judge: 'agt_1', threshold: 0.7 },
  { type: 'person', question: 'Is it right?', expiresAfterHours: 24 },
]

/** Without properties that are undefined, as JSON leaves them out. */
const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('EVL-35 a grader of any type is the same after its form, as a whole and where another input was changed', () => {
  for (const one of given) {
    expect(toGrader(toGraderValues(one), 'graders[0]')).toEqual(one)
    const renamed = toGrader({ ...toGraderValues(one), name: 'renamed' }, 'graders[0]')
    expect(toJson(renamed), one.type).toEqual({ ...one, name: 'renamed' })
    expect(grader.safeParse(toJson(renamed)).success).toBe(true)
  }
})

test('EVL-35 a value that no grader can have is a problem of its field', () => {
  const wrong = [
    [{ ...newGrader('found'), text: 'tide' }, 'graders[1].text'],
    [{ ...newGrader('json_schema'), schema: '{' }, 'graders[1].schema'],
    [{ ...newGrader('json_schema'), schema: '[]' }, 'graders[1].schema'],
    [newGrader('rubric'), 'graders[1].rubric'],
    [{ ...newGrader('rubric'), rubric: 'polite' }, 'graders[1].judge'],
  ] as const
  for (const [values, field] of wrong)
    expect(() => toGrader(values, 'graders[1]')).toThrow(expect.objectContaining({ field }))
  expect(() => toGrader({ ...newGrader('found'), text: 'tide' }, 'x')).toThrow(FieldProblem)
})

test('EVL-35 the problems of a body are shown at the inputs of their graders', () => {
  const paths = toGraderPaths('graders', [newGrader('contains'), newGrader('limits')])
  expect(paths['graders[0].text']).toBe('graders.0.values')
  expect(paths['graders[1].maxCents']).toBe('graders.1.maxCostCents')
})
