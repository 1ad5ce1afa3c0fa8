import { expect, test } from 'vitest'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_MAX_EVALS: '4', NOEMA_MAX_EVAL_VERSIONS: '12' })
const { call, createAgent } = agents

const given = {
  name: 'Tides',
  target: { brain: 'brain', read: 'search' },
  cases: [
    { id: 'one', input: 'One?', expected: '1' },
    { id: 'two', input: 'Two?', expected: { contains: ['2'] } },
  ],
  graders: [{ type: 'equals' }, { type: 'contains', weight: 2 }],
}
const send = (more: object = {}) => call('POST', '/v1/evals', { ...given, ...more })
const listCases = async (id: string, query = '') =>
  (await call('GET', `/v1/evals/${id}/cases${query}`)).body.data.cases.map(
    (one: { id: string; input: string }) => `${one.id} ${one.input}`,
  )

test('EVL-01 an eval has versions that never change, and a case is added without sending the others', async () => {
  const { status, body } = await send()
  expect(status).toBe(201)
  const { eval: made } = body.data
  expect(made).toMatchObject({ version: 1, cases: 2, target: { brain: 'brain', read: 'search' }, archivedAt: null })
  const path = `/v1/evals/${made.id}`
  const same = await call('PATCH', path, { name: 'Tides', cases: given.cases })
  expect(same.body.data.eval.version).toBe(1)
  const added = await call('POST', `${path}/cases`, {
    cases: [
      { id: 'three', input: 'Three?' },
      { id: 'one', input: 'One!' },
    ],
    remove: ['two'],
  })
  expect(added.body.data.eval).toMatchObject({ version: 2, cases: 2 })
  const renamed = await call('PATCH', path, { name: 'Ebbs', version: 2 })
  expect(renamed.body.data.eval).toMatchObject({ version: 3, name: 'Ebbs', cases: 2 })
  expect(await call('PATCH', path, { name: 'Late', version: 2 })).toMatchObject({
    status: 409,
    body: { error: { code: 'stale_version' } },
  })
  expect(await listCases(made.id)).toEqual(['one One!', 'three Three?'])
  expect(await listCases(made.id, '?version=1')).toEqual(['one One?', 'two Two?'])
  const { versions } = (await call('GET', `${path}/versions`)).body.data
  expect(
    versions.map(({ version, name, cases }: { version: number; name: string; cases: number }) => [
      version,
      name,
      cases,
    ]),
  ).toEqual([
    [1, 'Tides', 2],
    [2, 'Tides', 2],
    [3, 'Ebbs', 2],
  ])
  const both = await Promise.all(
    ['a', 'b', 'c'].map((id) => call('POST', `${path}/cases`, { cases: [{ id, input: 'x' }] })),
  )
  expect(both.map((one) => one.status)).toEqual([200, 200, 200])
  expect((await call('GET', path)).body.data.eval).toMatchObject({ version: 6, cases: 5 })
})

test.each([
  ['a target that is not there', { target: { brain: 'none', read: 'search' } }, 404, 'no Brain'],
  ['an agent that is not there', { target: { agentId: 'agt_none' } }, 404, 'no agent'],
  ['a corpus that is not there', { target: { corpus: 'none', read: 'search' } }, 404, 'no corpus'],
  ['two cases of one id', { cases: [given.cases[0], given.cases[0]] }, 400, 'Give each case its own'],
  ['no case', { cases: [] }, 400, 'at least one case'],
  ['no grader', { graders: [] }, 400, 'at least one grader'],
  ['an unknown grader', { graders: [{ type: 'magic' }] }, 400, 'type of a grader'],
  ['two graders of one name', { graders: [{ type: 'equals' }, { type: 'equals' }] }, 400, 'Two graders'],
  ['a grader of agents', { graders: [{ type: 'operations', called: ['x'] }] }, 400, 'grades runs of agents'],
  ['a pattern that is none', { graders: [{ type: 'regex', pattern: '(' }] }, 400, 'no regular expression'],
  [
    'a schema that cannot be checked',
    { graders: [{ type: 'json_schema', schema: { type: 'string' } }] },
    400,
    'object',
  ],
  [
    'a rubric that is not there',
    { graders: [{ type: 'rubric', rubric: 'none', judge: 'agt_none' }] },
    400,
    'no rubric',
  ],
  [
    '21 graders',
    { graders: Array.from({ length: 21 }, (_, n) => ({ type: 'equals', name: `g${n}` })) },
    400,
    'at most 20',
  ],
])('EVL-01 %s is refused with what to do', async (_case, wrong, status, says) => {
  const refused = await send(wrong)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([status, expect.stringContaining(says)])
})

test('EVL-01 a grader of reads does not fit an agent, and an eval of one is made', async () => {
  const target = { agentId: (await createAgent()).id }
  expect((await send({ target, graders: [{ type: 'evidence', is: 'none' }] })).status).toBe(400)
  expect((await send({ target })).body.data.eval.target).toEqual(target)
})

test('EVL-08 an organization has so many evals and versions, also when they are made at once', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => send()))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
  expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe('too_many_evals')
  const { evals } = (await call('GET', '/v1/evals?archived=false')).body.data
  await call('DELETE', `/v1/evals/${evals[0].id}`)
  expect(await call('PATCH', `/v1/evals/${evals[0].id}`, { name: 'x' })).toMatchObject({
    status: 409,
    body: { error: { code: 'eval_archived' } },
  })
  expect((await send()).status).toBe(201)
  const all = (await call('GET', '/v1/evals')).body.data.evals
  let left = 12 - all.reduce((sum: number, { version }: { version: number }) => sum + version, 0)
  expect(left).toBeGreaterThan(0)
  const rename = () => call('PATCH', `/v1/evals/${evals[1].id}`, { name: `${left} left` })
  for (; left > 0; left--) expect((await rename()).status).toBe(200)
  expect(await rename()).toMatchObject({ status: 409, body: { error: { code: 'too_many_eval_versions' } } })
})

test('EVL-14 a rubric has versions, included ones cannot be changed, and a deleted one is gone', async () => {
  const criteria = [{ id: 'dated', text: 'It has a date.' }]
  const put = (name: string, more: object = {}) => call('PUT', `/v1/rubrics/${name}`, { criteria, ...more })
  expect(await put('dated')).toMatchObject({ status: 201, body: { data: { rubric: { version: 1, included: false } } } })
  expect(await put('dated')).toMatchObject({ status: 200, body: { data: { rubric: { version: 1 } } } })
  const next = await put('dated', { criteria: [{ ...criteria[0], required: true }] })
  expect(next.body.data.rubric).toMatchObject({ version: 2, criteria: [{ id: 'dated', weight: 1, required: true }] })
  const { rubrics } = (await call('GET', '/v1/rubrics')).body.data
  expect(rubrics.map(({ name }: { name: string }) => name)).toEqual([
    'dated',
    'noema-follows-procedure',
    'noema-grounded-answer',
    'noema-refuses-unknown',
  ])
  expect((await call('GET', '/v1/rubrics/dated/versions')).body.data.versions).toHaveLength(2)
  expect((await put('noema-mine')).status).toBe(400)
  expect((await call('DELETE', '/v1/rubrics/noema-grounded-answer')).status).toBe(400)
  expect((await call('DELETE', '/v1/rubrics/dated')).status).toBe(200)
  expect((await call('GET', '/v1/rubrics/dated')).status).toBe(404)
  expect((await put('twice', { criteria: [criteria[0], criteria[0]] })).status).toBe(400)
})

test('EVL-32 a rubric is changed at the version that was read, so that of two people at once only one changes it', async () => {
  const put = (text: string, version?: number) =>
    call('PUT', '/v1/rubrics/shared', {
      criteria: [{ id: 'dated', text }],
      ...(version !== undefined && { version }),
    })
  const stale = { status: 409, body: { error: { code: 'stale_version' } } }
  expect(await put('First.', 1)).toMatchObject(stale)
  const made = await Promise.all(['One.', 'Two.'].map((text) => put(text, 0)))
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 409])
  const changed = await Promise.all(['Three.', 'Four.'].map((text) => put(text, 1)))
  expect(changed.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const { rubric } = (await call('GET', '/v1/rubrics/shared')).body.data
  expect(rubric.version).toBe(2)
  // The answer to a change may get lost: its repeat overwrites nothing.
  expect((await put(rubric.criteria[0].text, 1)).body.data.rubric.version).toBe(2)
  expect((await put('Five.')).body.data.rubric.version).toBe(3)
  expect((await call('DELETE', '/v1/rubrics/shared')).status).toBe(200)
  expect(await put('Six.', 3)).toMatchObject(stale)
})
