import { beforeAll, expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { untilIndexed } from '../../retrieval/lexical-index/indexed.fixture.ts'
import { useEvals } from './use-evals.fixture.ts'

// Runs of evals that read a Brain or a corpus: no model takes part.

const agents = useAgents({ NOEMA_EMBEDDINGS: 'off' })
const { call, scene } = agents
const { create, start, ended, results } = useEvals(agents)

const write = async (id: string, text: string) => {
  const { status, body } = await scene.brain.call('POST', '/documents', { id, text })
  if (status >= 300) throw new Error(JSON.stringify(body))
}

beforeAll(async () => {
  await write('tide', 'The harbor has a high tide at noon.')
  await write('crane', 'The crane of the shipyard lifts forty tons.')
})

const target = { brain: 'brain', read: 'search', mode: 'lexical' }
const found = (...ids: string[]) => ids.map((id) => ({ type: 'document', id }))

test('EVL-02 EVL-05 a search is graded by what it found, and what did not pass says why', async () => {
  const made = await create({
    target,
    cases: [
      {
        id: 'tide',
        input: 'high tide harbor',
        expected: { found: found('tide'), evidence: 'strong', contains: ['noon'] },
      },
      {
        id: 'missing',
        input: 'crane shipyard tons',
        expected: { found: found('crane', 'dock'), notFound: found('tide') },
      },
      { id: 'unknown', input: 'zebra xylophone', expected: { evidence: 'none', notFound: found('tide') } },
    ],
    graders: [{ type: 'found' }, { type: 'not_found' }, { type: 'evidence' }, { type: 'contains', weight: 2 }],
  })
  const run = await ended(await start(made.id))
  expect(run).toMatchObject({ state: 'completed', cases: 3, done: 3, passed: 2, evalVersion: 1 })
  expect(run.pinned).toEqual([{ brain: 'brain', stateVersion: expect.any(Number) }])
  expect(run.summary).toMatchObject({ cases: 3, passed: 2, costCents: 0, p50Ms: expect.any(Number) })
  expect(run.summary.byGrader).toEqual([
    { grader: 'contains', graded: 1, passed: 1, score: 1 },
    { grader: 'evidence', graded: 2, passed: 2, score: 1 },
    { grader: 'found', graded: 2, passed: 1, score: 0.75 },
    { grader: 'not_found', graded: 2, passed: 2, score: 1 },
  ])
  const [missing] = await results(run.id, 'filter=failed')
  expect(missing).toMatchObject({ caseId: 'missing', passed: false, score: 0.75, input: 'crane shipyard tons' })
  expect(missing.grades).toContainEqual({
    grader: 'found',
    passed: false,
    score: 0.5,
    reason: 'It did not read the document "dock".',
  })
  const receipt = await scene.brain.call('GET', `/receipts/${missing.receipts[0]}`)
  expect(receipt.body.data.receipt).toMatchObject({ operation: 'search', consumerId: run.id })
})

test('EVL-03 a Brain that changes is read at the state of the start, and a repeat gives the same result', async () => {
  const cases = Array.from({ length: 30 }, (_, index) => ({
    id: `c${index}`,
    input: 'walrus',
    expected: { evidence: 'none' },
  }))
  const made = await create({ target, cases, graders: [{ type: 'evidence' }] })
  const id = await start(made.id)
  await write('walrus', 'A walrus sleeps on the pier.')
  await untilIndexed(agents.app, scene.brain)
  const run = await ended(id)
  expect(run.summary).toMatchObject({ cases: 30, passed: 30 })
  const { stateVersion } = run.pinned[0]
  const repeated = await ended(await start(made.id, { asOf: stateVersion }))
  expect(repeated).toMatchObject({ summary: { passed: 30 }, baseline: { id, delta: 0, flipped: [], flippedCases: 0 } })
  const now = await ended(await start(made.id))
  expect(now.summary.passed).toBe(0)
  expect(now.baseline).toMatchObject({ id: repeated.id, delta: -1, flippedCases: 30 })
  expect(now.baseline.flipped).toHaveLength(30)
  const [flipped] = await results(now.id, 'filter=flipped')
  expect(flipped).toMatchObject({ flipped: true, baseline: 'passed', passed: false })
  const named = await ended(await start(made.id, { baseline: id }))
  expect(named.baseline).toMatchObject({ id, delta: -1 })
  expect((await call('POST', `/v1/evals/${made.id}/runs`, { asOf: stateVersion + 1_000 })).status).toBe(400)
  expect((await call('POST', `/v1/evals/${made.id}/runs`, { trials: 2 })).status).toBe(400)
  expect((await call('POST', `/v1/evals/${made.id}/runs`, { baseline: 'evr_none' })).status).toBe(404)
})

test('EVL-02 a corpus is read part by part at the states of the start, and contexts are graded as texts', async () => {
  await call('PUT', '/v1/corpora/coast', { parts: [{ brain: 'brain' }] })
  const cases = [
    {
      id: 'tide',
      input: 'high tide harbor',
      expected: { contains: ['noon'], found: [{ ...found('tide')[0], brain: 'brain' }] },
    },
  ]
  const graders = [
    { type: 'contains' },
    { type: 'found', metric: 'ndcg', threshold: 0.9 },
    { type: 'regex', pattern: 'high\\s+tide' },
  ]
  for (const read of ['search', 'context']) {
    const made = await create({ target: { corpus: 'coast', read }, cases, graders })
    const run = await ended(await start(made.id))
    expect(run, JSON.stringify(await results(run.id))).toMatchObject({
      state: 'completed',
      summary: { passed: 1, score: 1 },
    })
  }
  const context = await create({ target: { brain: 'brain', read: 'context' }, cases, graders })
  expect((await ended(await start(context.id))).summary).toMatchObject({ passed: 1 })
})

test('EVL-06 patterns and schemas of tenants are bounded, and a case that nothing grades does not pass', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const made = await create({
    target,
    cases: [
      { id: 'slow', input: 'high tide harbor', expected: { pattern: '(.*)*(.*)*(.*)*\\0' } },
      { id: 'bad', input: 'high tide harbor', expected: { pattern: '(' } },
      { id: 'none', input: 'high tide harbor' },
    ],
    graders: [{ type: 'regex' }, { type: 'equals' }],
  })
  const run = await ended(await start(made.id))
  expect(run.summary.passed).toBe(0)
  const reasons = (await results(run.id)).map(
    ({ error, grades }: { error?: string; grades: { reason: string }[] }) => error ?? grades[0]?.reason,
  )
  expect(reasons).toEqual([
    'The pattern is invalid, or took longer than it may.',
    'No grader grades this case: it expects nothing of any of them.',
    'The pattern is invalid, or took longer than it may.',
  ])
  const byJson = await create({
    target,
    cases: [{ id: 'text', input: 'tide' }],
    graders: [{ type: 'json_schema', schema }],
  })
  const [text] = await results((await ended(await start(byJson.id))).id)
  expect(text.grades[0]).toMatchObject({ passed: false, reason: 'It is not JSON.' })
})

test('EVL-08 a canceled run stops, an archived eval starts nothing, and both can still be read', async () => {
  const cases = Array.from({ length: 400 }, (_, index) => ({
    id: `c${index}`,
    input: 'tide',
    expected: { evidence: 'weak' },
  }))
  const made = await create({ target, cases, graders: [{ type: 'evidence' }] })
  const id = await start(made.id)
  const { run } = (await call('POST', `/v1/eval-runs/${id}/cancel`)).body.data
  expect(run).toMatchObject({ state: 'canceled', completedAt: expect.any(String) })
  const second = await start(made.id)
  expect((await call('DELETE', `/v1/evals/${made.id}`)).body.data.eval.archivedAt).toEqual(expect.any(String))
  expect((await call('GET', `/v1/eval-runs/${second}`)).body.data.run.state).toBe('canceled')
  const refused = await call('POST', `/v1/evals/${made.id}/runs`, {})
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'eval_archived' } } })
  expect((await call('GET', `/v1/evals/${made.id}/cases?limit=2`)).body.data.cases).toHaveLength(2)
})

test('EVL-09 another organization gets the answer for an unknown id, and reads nothing of runs', async () => {
  const made = await create({
    target,
    cases: [{ id: 'tide', input: 'tide' }],
    graders: [{ type: 'contains', values: ['tide'] }],
  })
  const id = await start(made.id)
  await ended(id)
  const { key } = await createMember(agents.app)
  const as = (method: string, path: string, body?: object) =>
    agents.app.request(method, path, { key, ...(body ? { body } : {}) })
  const calls: [string, string, object?][] = [
    ...(['', '/versions', '/cases', '/runs'] as const).map((path): [string, string] => ['GET', `/v1/evals/ID${path}`]),
    ['PATCH', '/v1/evals/ID', { name: 'x' }],
    ['POST', '/v1/evals/ID/cases', { cases: [{ id: 'x', input: 'x' }] }],
    ['POST', '/v1/evals/ID/runs', {}],
    ['DELETE', '/v1/evals/ID'],
    ...(['GET /v1/eval-runs/ID', 'GET /v1/eval-runs/ID/cases', 'POST /v1/eval-runs/ID/cancel'].map((one) =>
      one.split(' '),
    ) as [string, string][]),
  ]
  for (const [method, path, body] of calls) {
    const own = path.includes('eval-runs') ? id : made.id
    const unknown = path.includes('eval-runs') ? 'evr_none' : 'evl_none'
    const [given, none] = [
      await as(method, path.replace('ID', own), body),
      await as(method, path.replace('ID', unknown), body),
    ]
    expect([method, path, given.status]).toEqual([method, path, 404])
    expect(JSON.stringify(given.body).replaceAll(own, '')).toBe(JSON.stringify(none.body).replaceAll(unknown, ''))
  }
  const stolen = await as('POST', '/v1/evals', {
    name: 'x',
    target,
    cases: [{ id: 'x', input: 'x' }],
    graders: [{ type: 'equals' }],
  })
  expect(stolen.status).toBe(404)
  expect((await as('GET', '/v1/evals')).body.data.evals).toEqual([])
})

test('EVL-11 deleting a Brain deletes its evals, and the runs of others whose results may have content of it', async () => {
  const secret = await addBrain(agents.app, scene.member, 'secret')
  await secret.call('POST', '/documents', { id: 'vault', text: 'The vault opens with code 4711.' })
  await call('PUT', '/v1/corpora/both', { parts: [{ brain: 'brain' }, { brain: 'secret' }] })
  const cases = [{ id: 'code', input: 'vault code', expected: { contains: ['4711'] } }]
  const graders = [{ type: 'contains' }]
  const ofBrain = await create({ target: { ...target, brain: 'secret' }, cases, graders })
  const ofCorpus = await create({ target: { corpus: 'both', read: 'search' }, cases, graders })
  const ids = [await start(ofBrain.id), await start(ofCorpus.id)]
  for (const id of ids) expect((await ended(id)).passed).toBe(1)
  await agents.app.request('DELETE', secret.path, { headers: scene.member.session })
  for (const id of ids) await expect.poll(async () => (await call('GET', `/v1/eval-runs/${id}`)).status).toBe(404)
  await expect.poll(async () => (await call('GET', `/v1/evals/${ofBrain.id}`)).status).toBe(404)
  expect((await call('GET', `/v1/evals/${ofCorpus.id}`)).status).toBe(200)
  const { rows } = await agents.app.database.pool.query('select from eval_results where eval_run_id = any($1)', [ids])
  expect(rows).toEqual([])
  const held = await agents.app.database.pool.query('select from eval_cases where eval_id = $1', [ofBrain.id])
  expect(held.rows).toEqual([])
  const later = await ended(await start(ofCorpus.id))
  expect(later.pinned).toMatchObject([{ brain: 'brain' }])
})

test('EVL-11 deleting a Brain deletes earlier versions of evals that read it, with the cases of these alone', async () => {
  const gone = await addBrain(agents.app, scene.member, 'gone')
  const [vault, tide] = [
    { id: 'vault', input: 'vault code', expected: '4711' },
    { id: 'tide', input: 'high tide', expected: 'noon' },
  ]
  const made = await create({
    target: { ...target, brain: 'gone' },
    cases: [vault, tide],
    graders: [{ type: 'contains' }],
  })
  await call('PATCH', `/v1/evals/${made.id}`, { target, cases: [tide] })
  const versions = async () =>
    (await call('GET', `/v1/evals/${made.id}/versions`)).body.data.versions.map(
      (one: { version: number }) => one.version,
    )
  expect(await versions()).toEqual([1, 2])
  await agents.app.request('DELETE', gone.path, { headers: scene.member.session })
  await expect.poll(versions).toEqual([2])
  const held = await agents.app.database.pool.query('select id from eval_cases where eval_id = $1', [made.id])
  expect(held.rows).toEqual([{ id: 'tide' }])
  expect((await call('GET', `/v1/evals/${made.id}/cases`)).body.data.cases).toEqual([tide])
})

test('EVL-41 an eval with rerank says that the service has no reranker', async () => {
  const cases = [{ id: 'tide', input: 'high tide', expected: { evidence: 'strong' } }]
  const made = await create({ target: { ...target, rerank: true }, cases, graders: [{ type: 'evidence' }] })
  expect(await ended(await start(made.id))).toMatchObject({
    state: 'failed',
    failureReason: expect.stringContaining('No reranker is set up'),
  })
})
