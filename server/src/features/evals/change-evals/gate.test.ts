import { beforeAll, expect, test } from 'vitest'
import { joinOrganization } from '../../../test/organizations.ts'
import { runPass } from '../../../test/run-pass.ts'
import { exportText, importedBrain } from '../../../test/transfer.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { createChangeEvalWork } from './run-change-evals.ts'
import { useGate } from './use-gate.fixture.ts'

// Evals as a gate: a Brain requires one, and a change is approved only if it makes no case fail.

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'off' })
const { app, call, scene } = agents
const { create, start, results, target, graders, harbor, crane, ...gate } = useGate(agents)
const { stage, put, read, work, ended, judged, approve, code, gated } = gate

let scenario: Awaited<ReturnType<typeof gated>>
beforeAll(async () => {
  scenario = await gated('gated')
})

test('GAT-01 a run with a pending change reads a Brain and a corpus as if it were published', async () => {
  const { brain, evalId } = scenario
  const change = await stage(brain, put('tide', 'The harbor has a high tide at dusk.'))
  const before = await ended(await start(evalId))
  const run = await ended(await start(evalId, { change }))
  expect(run).toMatchObject({ state: 'completed', change, passed: 1, baseline: { id: before.id, flipped: ['harbor'] } })
  const [flipped] = await results(run.id, 'filter=flipped')
  expect(flipped).toMatchObject({ caseId: 'harbor', passed: false, baseline: 'passed' })
  expect(flipped.output).toContain('dusk')
  const { receipt } = (await brain.call('GET', `/receipts/${flipped.receipts[0]}`)).body.data
  expect(receipt).toMatchObject({ change })
  // A run with a change is no baseline for others.
  expect((await ended(await start(evalId))).baseline).toMatchObject({ id: before.id, flippedCases: 0 })

  await call('PUT', '/v1/corpora/coast', { parts: [{ brain: 'brain' }, { brain: 'gated' }] })
  for (const kind of ['search', 'context']) {
    const made = await create({ target: { corpus: 'coast', read: kind }, cases: [harbor, crane], graders })
    expect(await ended(await start(made.id)), kind).toMatchObject({ passed: 2 })
    const ofCorpus = await ended(await start(made.id, { change }))
    expect(ofCorpus, kind).toMatchObject({ change, passed: 1, baseline: { flipped: ['harbor'] } })
  }

  const agent = await agents.createAgent()
  const ofAgent = await create({ target: { agentId: agent.id }, cases: [harbor], graders })
  const refused = await call('POST', `/v1/evals/${ofAgent.id}/runs`, { change })
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('eval of the Brain')])
  expect((await call('POST', `/v1/evals/${evalId}/runs`, { change, asOf: 1 })).status).toBe(400)
  expect((await call('POST', `/v1/evals/${evalId}/runs`, { change: 'chg_none' })).status).toBe(404)
  await brain.call('POST', `/changes/${change}/decide`, { decision: 'rejected' })
  expect(await code(call('POST', `/v1/evals/${evalId}/runs`, { change }))).toBe('already_decided')
})

test('GAT-02 a preview starts an eval once, and shows the results before and after, and the flipped cases', async () => {
  const { brain } = scenario
  const change = await stage(brain, put('tide', 'The harbor has a high tide at dusk.'), put('pier', 'A walrus sleeps.'))
  const other = await create({
    target: target('gated'),
    cases: [harbor, crane, { id: 'walrus', input: 'walrus', expected: 'sleeps' }],
    graders,
  })
  const preview = async (body: object, key = brain.key) =>
    brain.call('POST', `/changes/${change}/preview`, body, { key })
  const reviewer = await brain.mintKey(['read', 'review'])
  const first = await preview({ eval: other.id }, reviewer)
  expect(first.body.data).toMatchObject({ questions: [], eval: { evalId: other.id, state: 'pending' } })
  await work(async () => (await preview({ eval: other.id }, reviewer)).body.data.eval.state !== 'pending')
  const { data } = (await preview({ eval: other.id, questions: ['walrus'] })).body
  expect(data.questions[0].entered).toEqual([{ type: 'document', id: 'pier' }])
  expect(data.eval).toMatchObject({
    state: 'failed',
    cases: 3,
    before: { passed: 2 },
    after: { passed: 2 },
    broken: { count: 1, ids: ['harbor'] },
    mended: { count: 1, ids: ['walrus'] },
  })
  const runs = (await call('GET', `/v1/evals/${other.id}/runs`)).body.data.runs
  expect(runs.map(({ change: of }: { change?: string }) => of ?? null).toSorted()).toEqual([change, null].toSorted())
  // An eval of something else is not there for callers of this Brain.
  const foreign = await create({ target: target('brain'), cases: [harbor], graders })
  const shape = async (id: string) => {
    const { status, body } = await preview({ eval: id }, reviewer)
    return [status, body.error.message.replace(id, 'id')]
  }
  expect(await shape(foreign.id)).toEqual(await shape('evl_none'))
  expect((await preview({})).status).toBe(400)
  await brain.call('POST', `/changes/${change}/decide`, { decision: 'rejected' })
})

test('GAT-03 a required eval runs by itself, and no change is approved that makes a case fail', async () => {
  const { brain, evalId } = await gated('strict')
  const good = await stage(brain, put('pier', 'The pier is made of oak.'))
  const bad = await stage(brain, put('crane', 'The crane is broken.'))
  expect(await code(approve(brain, bad))).toBe('eval_pending')
  expect(await judged(brain, good)).toMatchObject({
    evalId,
    state: 'passed',
    before: { passed: 2 },
    after: { passed: 2 },
  })
  expect(await judged(brain, bad)).toMatchObject({ state: 'failed', broken: { count: 1, ids: ['crane'] } })
  const listed = async (path: string) => (await call('GET', path)).body.data.changes
  for (const path of ['/v1/brains/strict/changes?decision=pending', '/v1/changes?decision=pending&brain=strict'])
    expect(
      (await listed(path)).map((change: { eval: { state: string } }) => change.eval.state),
      path,
    ).toEqual(['passed', 'failed'])
  const refused = await approve(brain, bad)
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.objectContaining({ code: 'eval_failed', message: expect.stringContaining('crane') }),
  ])
  for (const publish of [false, '2999-01-01T00:00:00Z'])
    expect(await code(approve(brain, bad, { publish }))).toBe('eval_failed')
  // An approval is of the whole change, as it was tested.
  const two = await stage(brain, put('a', 'One.'), { op: 'record.put', id: 'b', kind: 'x', fields: { n: 1 } })
  await judged(brain, two)
  expect(await code(approve(brain, two, { items: ['1'] }))).toBe('eval_pending')
  expect(await code(approve(brain, two, { edits: { 2: { fields: { n: 2 } } } }))).toBe('eval_pending')
  const rejected = await brain.call('POST', `/changes/${two}/decide`, { decision: 'rejected', items: ['1'] })
  const rest = rejected.body.data.staged[0].id
  expect(await judged(brain, rest)).toMatchObject({ state: 'passed' })
  expect(await code(approve(brain, rest))).toBe(200)
  expect(await code(approve(brain, good))).toBe(200)
  // A decided change keeps what was said about it.
  expect((await read(brain, good)).eval).toMatchObject({ state: 'passed' })
  expect(await code(brain.call('POST', `/changes/${bad}/decide`, { decision: 'rejected' }))).toBe(200)
})

test('GAT-04 of two changes to one record, approving one makes the result of the other stale', async () => {
  const { brain, evalId } = await gated('twice')
  await brain.call('PUT', '/records/ship', { kind: 'ship', fields: { name: 'Ada', crew: 3 } })
  const patch = (fields: object) => ({ op: 'record.patch', id: 'ship', fields })
  const [one, two, three] = [
    await stage(brain, patch({ name: 'Bea' })),
    await stage(brain, patch({ crew: 4 })),
    await stage(brain, patch({ flag: 'red' })),
  ]
  for (const id of [one, two, three]) expect(await judged(brain, id)).toMatchObject({ state: 'passed' })
  // The third is approved while its result stands, and published later.
  expect(await code(approve(brain, three, { publish: false }))).toBe(200)
  const answers = await Promise.all([code(approve(brain, one)), code(approve(brain, two))])
  expect(answers.toSorted()).toEqual([200, 'eval_stale'])
  const left = answers[0] === 200 ? two : one
  expect((await read(brain, left)).eval.state).toBe('stale')
  expect((await brain.call('GET', '/changes?decision=pending')).body.data.changes[0].eval.state).toBe('stale')
  const late = await brain.call('POST', `/changes/${three}/publish`)
  expect(late.body.data.change).toMatchObject({ application: 'blocked', blockedBy: expect.stringContaining('Rebase') })
  await brain.call('POST', `/changes/${left}/preview`, { eval: evalId })
  expect(await judged(brain, left)).toMatchObject({ state: 'passed' })
  expect(await code(approve(brain, left))).toBe(200)
  // A rebase tests the change again.
  await brain.call('POST', `/changes/${three}/rebase`)
  expect(await judged(brain, three)).toMatchObject({ state: 'passed' })
  expect(await code(approve(brain, three))).toBe(200)
  expect((await brain.call('GET', '/records/ship')).body.data.record.fields).toEqual({
    name: 'Bea',
    crew: 4,
    flag: 'red',
  })
})

test('GAT-05 a person who is signed in can override the eval with a reason, and no key can', async () => {
  const { brain } = scenario
  const bad = await stage(brain, put('crane', 'The crane was sold.'))
  await judged(brain, bad)
  const overrideEval = { reason: 'It was sold indeed.' }
  for (const key of [brain.key, await brain.mintKey(['read', 'review', 'write', 'admin'])])
    expect(
      await code(brain.call('POST', `/changes/${bad}/decide`, { decision: 'approved', overrideEval }, { key })),
    ).toBe('person_required')
  const bySession = (body: object) =>
    app.request('POST', `${brain.path}/changes/${bad}/decide`, { headers: scene.member.session, body })
  expect((await bySession({ decision: 'approved', overrideEval: { reason: ' ' } })).status).toBe(400)
  expect((await bySession({ decision: 'approved' })).body.error.code).toBe('eval_failed')
  expect((await bySession({ decision: 'approved', overrideEval })).status).toBe(200)
  const by = { type: 'session', id: expect.any(String) }
  expect((await read(brain, bad)).eval.override).toMatchObject({ by, reason: overrideEval.reason })
  const { entries } = (await call('GET', `/v1/audit?target=${bad}`)).body.data
  expect(entries).toEqual([
    expect.objectContaining({
      action: 'change.eval_overridden',
      actor: expect.objectContaining(by),
      target: { type: 'change', id: bad, brain: 'gated' },
      after: expect.objectContaining({ state: 'failed', reason: overrideEval.reason }),
    }),
  ])
  // The crane is gone with or without further changes, so that they are not held up by it.
  const next = await stage(brain, put('rope', 'A rope.'))
  expect(await judged(brain, next)).toMatchObject({ state: 'passed', before: { passed: 1 }, after: { passed: 1 } })
})

test('GAT-07 runs go on where a node died, and a flood of changes is tested a few at a time', async () => {
  const { brain, evalId } = await gated('busy')
  const ids: string[] = []
  for (let index = 0; index < 6; index++) ids.push(await stage(brain, put(`n${index}`, `Note ${index}.`)))
  const rows = async (where: string) =>
    (await app.database.pool.query(`select change_id from change_evals where eval_id = $1 and ${where}`, [evalId])).rows
  // The node dies after it began a run, and before it stored that.
  const beginsNone = new Proxy(app.app.deps, {
    get: (deps, name) => {
      if (name === 'topics') throw new Error('The node died here.')
      return Reflect.get(deps, name)
    },
  })
  await runPass(app.app.deps, createChangeEvalWork(beginsNone)).catch(() => undefined)
  expect((await rows('before_run is not null')).length).toBeGreaterThan(0)
  expect(await rows("state <> 'pending'")).toEqual([])
  for (const id of ids) {
    await judged(brain, id)
    expect(
      (await rows(`due_at is not null and before_run is not null and state = 'pending'`)).length,
    ).toBeLessThanOrEqual(3)
  }
  const runs = (await call('GET', `/v1/evals/${evalId}/runs?limit=50`)).body.data.runs as { change?: string }[]
  expect(runs.flatMap(({ change }) => change ?? []).toSorted()).toEqual(ids.toSorted())
  expect(runs.length).toBeLessThan(2 * ids.length)
  for (const id of ids) expect((await read(brain, id)).eval.state).toBe('passed')
})

test('GAT-06 a gate whose eval cannot be run neither opens nor locks the Brain', async () => {
  const { brain, evalId } = await gated('lost')
  const before = await stage(brain, put('a', 'One.'))
  await judged(brain, before)
  // A change of the schema has no preview.
  await brain.call('PATCH', '', { mode: 'review' })
  const evolved = await brain.call('POST', '/schema/evolve', {
    baseVersion: 0,
    operations: [{ op: 'addKind', kind: 'x' }],
  })
  const schema = evolved.body.data.change.id
  expect(await judged(brain, schema)).toMatchObject({ state: 'unavailable', reason: expect.stringContaining('schema') })
  expect(await code(approve(brain, schema))).toBe('eval_unavailable')
  expect((await brain.call('PATCH', '', { reviewRules: { requireEval: 'evl_none' } })).status).toBe(404)
  const foreign = await create({ target: target('brain'), cases: [harbor], graders })
  expect((await brain.call('PATCH', '', { reviewRules: { requireEval: foreign.id } })).status).toBe(404)
  // A new version is another test: what waits is tested again.
  await call('PATCH', `/v1/evals/${evalId}`, { name: 'Renamed' })
  expect((await read(brain, before)).eval.state).toBe('pending')
  expect(await judged(brain, before)).toMatchObject({ state: 'passed', evalVersion: 2 })
  await call('DELETE', `/v1/evals/${evalId}`)
  const after = await stage(brain, put('b', 'Two.'))
  expect(await judged(brain, after)).toMatchObject({
    state: 'unavailable',
    reason: expect.stringContaining('archived'),
  })
  const refused = (await approve(brain, after)).body.error
  expect([refused.code, refused.message]).toEqual(['eval_unavailable', expect.stringContaining('requireEval')])
  expect(await code(approve(brain, before))).toBe(200)
  // A judge that is gone.
  const judge = await agents.createAgent({ name: 'Judge' })
  const judging = await create({
    target: target('lost'),
    cases: [harbor],
    graders: [{ type: 'rubric', rubric: 'noema-grounded-answer', judge: judge.id }],
  })
  await brain.call('PATCH', '', { reviewRules: { requireEval: judging.id } })
  await call('DELETE', `/v1/agents/${judge.id}`)
  const third = await stage(brain, put('c', 'Three.'))
  expect(await judged(brain, third)).toMatchObject({
    state: 'unavailable',
    reason: expect.stringContaining('archived'),
  })
  // Without the rule, changes are approved as before, and the rule is not in exports.
  await brain.call('PATCH', '', { reviewRules: { requireEval: null } })
  expect((await brain.call('GET', '')).body.data.brain.reviewRules).toEqual({})
  for (const id of [after, third]) expect(await code(approve(brain, id))).toBe(200)
  expect((await read(brain, third)).eval).toBeUndefined()
})

test('GAT-01 readers of a restricted Brain start no run with a change and see none; a rule stays with its Brain', async () => {
  const { brain, evalId } = await gated('closed')
  const change = await stage(brain, put('tide', 'The harbor is closed at night.'))
  const ben = await joinOrganization(app, scene.member)
  const ask = (method: string, path: string, body?: object) =>
    app.request(method, path, { headers: ben.session, ...(body ? { body } : {}) })
  const members = (role: string) => [{ member: ben.email, role }]
  const restricted = await app.request('PATCH', `${brain.path}/access`, {
    headers: scene.member.session,
    body: { openTo: 'members', members: members('reader') },
  })
  expect(restricted.status, JSON.stringify(restricted.body)).toBe(200)
  const run = await start(evalId, { change })
  const refused = await ask('POST', `/v1/evals/${evalId}/runs`, { change })
  const unknown = await ask('POST', `/v1/evals/${evalId}/runs`, { change: 'chg_none' })
  expect([refused.status, refused.body.error.message.replace(change, 'chg_none')]).toEqual([
    404,
    unknown.body.error.message,
  ])
  expect((await ask('GET', `/v1/eval-runs/${run}`)).status).toBe(404)
  expect((await ask('GET', `/v1/evals/${evalId}/runs`)).body.data.runs).toEqual([])
  await app.request('PUT', `${brain.path}/members/${ben.email}`, {
    headers: scene.member.session,
    body: { role: 'reviewer' },
  })
  expect((await ask('GET', `/v1/eval-runs/${run}`)).status).toBe(200)
  const { brain: copy } = await importedBrain(app, brain, 'copied', await exportText(app, brain))
  expect((await copy.call('GET', '')).body.data.brain.reviewRules).toEqual({})
  expect(await code(approve(copy, change))).toBe(200)
})
