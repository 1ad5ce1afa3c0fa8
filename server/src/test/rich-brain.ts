import { createBrain, type TestApp, type TestBrain } from './app.ts'

/** Calls that must succeed: a Brain without its content proves nothing. */
const insist =
  (brain: TestBrain): TestBrain['call'] =>
  async (...request) => {
    const answer = await brain.call(...request)
    if (answer.status >= 300) throw new Error(`${request.join(' ')}: ${JSON.stringify(answer.body)}`)
    return answer
  }

const writeKnowledge = async (brain: TestBrain): Promise<void> => {
  const call = insist(brain)
  const { receipt } = (await call('GET', '/search?q=ada')).body.data
  await call('POST', '/batch', {
    operations: [
      {
        op: 'record.create',
        ref: 'ada',
        kind: 'person',
        slug: 'ada',
        fields: { name: 'Ada Łovelace 🧮', '7': 1.5e-7 },
      },
      { op: 'record.put', id: 'acme', kind: 'company', links: [{ predicate: 'employs', to: '$ref:ada' }] },
      { op: 'record.patch', id: 'acme', fields: { 'line\nfeed': '\u2028"\\', nested: { a: [1, null, { b: -0.5 }] } } },
      {
        op: 'statement.assert',
        subject: { id: '$ref:ada', kind: 'person' },
        predicate: 'works-at',
        object: { record: { id: 'acme', kind: 'company' } },
        validFrom: '1842-01-01T00:00:00+02:00',
        validTo: '1843-01-01T00:00:00Z',
        confidence: 0.1,
        sources: [{ document: 'notes', version: 1, quote: 'a "quote"\n' }],
        provenance: { source: 'mail', receipt, trust: 'unverified' },
      },
      {
        op: 'document.put',
        id: 'notes',
        text: 'One.\n\u0001Two.\tThree 🧮',
        title: 'Notes',
        metadata: { b: 1, a: [{}] },
      },
    ],
  })
  await call('PUT', '/records/gone', { kind: 'thing', fields: { a: 1 }, provenance: { source: 'x', trust: 'trusted' } })
  await call('POST', '/statements', {
    id: 'about-gone',
    subject: { id: 'gone', kind: 'thing' },
    predicate: 'is',
    object: { value: [1] },
  })
  await call('PATCH', '/records/gone', { kind: 'gadget', slug: 'gone' })
  await call('DELETE', '/records/gone')
  await call('PUT', '/records/gone', { kind: 'thing', slug: 'again' })
  await call('POST', '/statements', {
    id: 's',
    subject: { id: 'acme', kind: 'company' },
    predicate: 'is',
    object: { value: null },
  })
  await call('DELETE', '/statements/s', { reason: 'a mistake' })
  const held = { id: 'held', subject: { id: 'acme', kind: 'company' }, predicate: 'is', object: { value: 'held' } }
  await call('POST', '/statements', held)
  await call('POST', '/statements', { ...held, confidence: 0.5, validTo: '2024-01-01T00:00:00Z' })
  await call('POST', '/documents', { id: 'notes', text: 'Another text', source: { name: 'wiki', uri: 'x:1' } })
  await call('POST', '/documents', {
    text: '',
    sequence: { id: 'talk', position: 0 },
    occurredAt: '2020-01-01T00:00:00Z',
  })
  await call('POST', '/documents', { id: 'retired', text: 'x' })
  await call('DELETE', '/documents/retired')
}

/** Two versions of a schema, a past reminder and a future one. */
const declareTasks = async (test: TestApp, brain: TestBrain): Promise<void> => {
  const call = insist(brain)
  const evolve = async (baseVersion: number, ...operations: object[]) => {
    const { change } = (await call('POST', '/schema/evolve', { baseVersion, operations })).body.data
    await decide(brain, change.id, { decision: 'approved' })
  }
  const due = { name: 'due', type: 'datetime', notifyBefore: ['PT10M', 'P0D'] }
  await evolve(0, {
    op: 'addKind',
    kind: 'task',
    title: 'Task',
    fields: [{ name: 'number', type: 'integer', unique: true }],
  })
  await evolve(1, { op: 'addField', kind: 'task', field: due })
  const inTwentyMinutes = new Date(test.clock.now().getTime() + 1_200_000).toISOString()
  await call('PUT', '/records/task', { kind: 'task', fields: { number: 7, due: inTwentyMinutes } })
  test.clock.advance({ minutes: 15 })
  await test.app.workers.find(({ name }) => name === 'emit reached dates')?.run()
}

const decide = (brain: TestBrain, change: string, body: object) =>
  insist(brain)('POST', `/changes/${change}/decide`, body)

const reviewChanges = async (test: TestApp, brain: TestBrain): Promise<void> => {
  const call = insist(brain)
  await call('PATCH', '', { mode: 'review', reviewRules: { always: ['record.delete'], requireOtherReviewer: false } })
  const stage = async (method: string, path: string, body?: unknown): Promise<string> =>
    (await call(method, path, body)).body.data.change.id
  const split = await stage('POST', '/batch', {
    operations: [
      { op: 'record.put', id: 'one', kind: 'x', fields: { a: 1 } },
      { op: 'record.put', id: 'two', kind: 'x' },
    ],
  })
  await decide(brain, split, { decision: 'approved', items: ['1'], edits: { '1': { fields: { a: 2 } } }, reason: 'ok' })
  await decide(brain, await stage('DELETE', '/records/acme'), { decision: 'rejected', reason: 'no' })
  const publish = new Date(test.clock.now().getTime() + 86_400_000).toISOString()
  await decide(brain, await stage('POST', '/documents', { id: 'later', text: 'later' }), {
    decision: 'approved',
    publish,
  })
  const put = (a: number) => stage('PUT', '/records/one', { kind: 'x', fields: { a } })
  const [first, second] = [await put(3), await put(4)]
  await decide(brain, first, { decision: 'approved' })
  await decide(brain, second, { decision: 'approved' })
  const kept = await stage('PATCH', '/records/one', { fields: { b: 'waits' } })
  await decide(brain, kept, { decision: 'approved', publish: false })
  const cancelled = await stage('PUT', '/records/three', { kind: 'x' })
  await decide(brain, cancelled, { decision: 'approved', publish: false })
  await call('POST', `/changes/${cancelled}/cancel`, { reason: 'not needed' })
  await stage('PUT', '/records/four', { kind: 'x', corrects: first, provenance: { trust: 'unverified' } })
}

/** A Brain with the result of every possible action: an export must not lose any of it. */
export const createRichBrain = async (test: TestApp, handle: string): Promise<TestBrain> => {
  const brain = await createBrain(test, handle)
  await test.request('PUT', brain.path, { key: brain.key, body: { name: 'Rich', purpose: 'To hold "everything".' } })
  await writeKnowledge(brain)
  await declareTasks(test, brain)
  await reviewChanges(test, brain)
  return brain
}
