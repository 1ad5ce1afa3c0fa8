import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'
import { buildNextPiece } from '../../writing/schema-changes/build-indexes.ts'
import { indexBatch } from '../lexical-index/index-batch.ts'
import { openIndexerThread } from '../lexical-index/indexer-thread.ts'
import { openProgress } from '../lexical-index/indexing-queries.ts'
import { findBrainId } from '../receipts/receipt.fixture.ts'

// Reads a Brain with a pending change, publishes the change, and reads again: nothing may differ but positions, times and receipts.
// The index stays where a step left it, so that content of all ages is mixed.

// Dozens of reads at once wait on a busy machine instead of being refused.
const app = useOwnApp({ NOEMA_ROLES: 'http', NOEMA_MAX_WAIT: '60000' })
const member = useMember(app)
const thread = openIndexerThread()
afterAll(() => thread.close())

const ids = ['a', 'b', 'c', 'd'] as const
const id = fc.constantFrom(...ids)
const word = fc.constantFrom('otter', 'heron', 'willow', 'river', 'mill')
const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((all) => all.join(' '))
const kind = fc.constantFrom('animal', 'animal', 'place')
const link = fc.record({ predicate: fc.constantFrom('near', 'eats'), to: id })

const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('record.put'),
      id,
      kind,
      slug: fc.option(id, { nil: undefined }),
      fields: fc.record({ name: words, size: fc.integer({ min: 0, max: 5 }) }, { requiredKeys: ['name'] }),
      links: fc.uniqueArray(link, { maxLength: 2, selector: ({ predicate, to }) => `${predicate} ${to}` }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('record.patch'), id, fields: fc.record({ size: fc.integer({ max: 5 }) }) }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('record.delete'), id }) },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('statement.assert'),
      id: fc.constantFrom('s', 't'),
      subject: fc.record({ id, kind }),
      predicate: fc.constantFrom('lives', 'sees'),
      object: fc.oneof(
        fc.record({ value: word }),
        id.map((to) => ({ record: { id: to, kind: 'animal' } })),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('statement.retract'), id: fc.constantFrom('s', 't') }) },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        op: fc.constant('document.put'),
        id,
        title: words,
        text: words,
        source: fc.constantFrom({ name: 'wiki' }, { name: 'notes' }),
      },
      { requiredKeys: ['op', 'id', 'text'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('document.retire'), id }) },
)

const scenario = fc.record({
  indexed: fc.array(operation, { maxLength: 6 }),
  fresh: fc.array(operation, { maxLength: 4 }),
  change: fc.array(operation, { minLength: 1, maxLength: 6 }),
})

const declareSize = async (brain: TestBrain) => {
  const field = (name: string, type: string, indexed: boolean) => ({ name, type, indexed })
  const fields = [field('name', 'string', false), field('size', 'integer', true)]
  const kinds = ['animal', 'place'].map((name) => ({ op: 'addKind', kind: name, title: name, fields }))
  expect((await evolve(brain, ...kinds)).body.data.change.application).toBe('applied')
  const brainId = await findBrainId(app, brain)
  while (await buildNextPiece(app.app.deps, brainId));
}

const indexAll = async (brain: TestBrain) => {
  const brainId = await findBrainId(app, brain)
  const deps = { ...app.app.deps, thread }
  for (let left = true; left; ) {
    const progress = await openProgress(app.database.db, brainId)
    left = (progress && (await indexBatch(deps, brainId, progress)))?.hasMore ?? false
  }
}

const get = (path: string) => ({ path })
const reads: { path: string; body?: object }[] = [
  ...['records', 'documents'].flatMap((type) => ids.map((one) => get(`/${type}/${one}`))),
  ...['s', 't'].flatMap((one) => [get(`/statements/${one}`), get(`/statements/${one}?retracted=true`)]),
  ...['', '?kind=animal', '?kind=animal&slug=a', '?linksTo=a', '?linksTo=b&predicate=near', '?limit=2&order=desc'].map(
    (query) => get(`/records${query}`),
  ),
  ...['', '?subject=a', '?predicate=lives', '?object=b', '?retracted=true'].map((query) => get(`/statements${query}`)),
  ...['', '?source=wiki'].map((query) => get(`/documents${query}`)),
  ...['otter', 'heron in the mill', 'willow river near'].map((q) =>
    get(`/search?mode=lexical&q=${encodeURIComponent(q)}`),
  ),
  get('/search?q=river&types=record,statement&kinds=animal'),
  { path: '/context', body: { query: 'Where does the otter live, near which river?', minEvidence: 'weak' } },
  { path: '/query', body: { kind: 'animal', where: { size: { gte: 2 } }, count: true, links: { direction: 'both' } } },
  { path: '/query', body: { kind: 'place', where: { size: 3 } } },
  { path: '/query', body: { kind: 'animal', aggregate: { by: 'size' } } },
  { path: '/query', body: { kind: 'animal', where: { slug: 'b' } } },
]

/** An answer without what differs between any two reads: its receipt, the mark of its frames, and what it says of the preview. */
const read = async (brain: TestBrain, { path, body }: (typeof reads)[number], change: string | undefined) => {
  const named = body
    ? await brain.call('POST', path, { ...body, change })
    : await brain.call('GET', change ? `${path}${path.includes('?') ? '&' : '?'}change=${change}` : path)
  const { receipt: _receipt, preview, ...data } = named.body.data ?? {}
  if (change && named.status === 200) expect(preview).toEqual({ change })
  const text = JSON.stringify({ status: named.status, data, error: named.body.error?.kind })
  const [, mark] = /\[([0-9a-z]{10})[\] ]/.exec(data.context ?? '') ?? []
  // A read that every Brain refuses would compare nothing.
  expect(named.status, text).not.toBe(400)
  return mark ? text.replaceAll(mark, 'mark') : text
}

const readAll = async (brain: TestBrain, change?: string) => {
  const answers = reads.map(async (one) => [`${one.path} ${JSON.stringify(one.body)}`, await read(brain, one, change)])
  return Object.fromEntries(await Promise.all(answers))
}

const write = (brain: TestBrain, operations: object[]) =>
  Promise.all(operations.map((one) => brain.call('POST', '/batch', { operations: [one] })))

test('PRV-01 PRV-02 reads with a pending change answer as they do once it is published', async () => {
  app.clock.hold()
  let made = 0
  await fc.assert(
    fc.asyncProperty(scenario, async ({ indexed, fresh, change }) => {
      const brain = await addBrain(app, member, `generated-${made++}`)
      await declareSize(brain)
      for (const one of indexed) await brain.call('POST', '/batch', { operations: [one] })
      await indexAll(brain)
      await write(brain, fresh)
      // Operations that cannot be applied after those before them are left out.
      let operations: object[] = []
      let staged: string | undefined
      for (const one of change) {
        const { status, body } = await brain.call('POST', '/batch', { operations: [...operations, one], review: true })
        if (status !== 202) continue
        operations = [...operations, one]
        if (staged) await brain.call('POST', `/changes/${staged}/decide`, { decision: 'rejected' })
        staged = body.data.change.id
      }
      // A change of nothing but refused operations compares nothing: another scenario takes its place.
      fc.pre(staged !== undefined)
      const before = await readAll(brain)
      const previewed = await readAll(brain, staged)
      expect(await readAll(brain)).toEqual(before)
      const decided = await brain.call('POST', `/changes/${staged}/decide`, { decision: 'approved' })
      expect(decided.body.data.change.application).toBe('applied')
      expect(previewed).toEqual(await readAll(brain))
    }),
    // Making an example smaller takes longer than the test may.
    { numRuns: 5, endOnFailure: true },
  )
})
