import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { isCluster } from '../../../test/cluster.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { buildSegment } from './build-segment.ts'
import { untilIndexed } from './indexed.fixture.ts'

// Records of earlier releases may be this large.
const app = useOwnApp({ NOEMA_MAX_RECORD_BYTES: String(16 * 1024 * 1024) })
const member = useMember(app)

const runIndexer = () => app.app.workers.find(({ name }) => name === 'index passages')?.run()

const find = async (brain: TestBrain, q: string) =>
  (await brain.call('GET', `/search?mode=lexical&q=${encodeURIComponent(q)}`)).body.data

test('D-33 no content stops the index: later writes are indexed and found', async () => {
  const brain = await addBrain(app, member, 'difficult')
  const word = 'a'.repeat(8_400_000)
  const longName = 'n'.repeat(300_000)
  const values = Array.from({ length: 2_500 }, () => ({ a: 1 }))
  const records = [{ word }, { signs: '☺'.repeat(300_000) }, { nested: { [longName]: values } }]
  for (const [at, fields] of records.entries()) {
    const operations = [{ op: 'record.put', id: `r${at}`, kind: 'thing', fields }]
    expect((await brain.call('POST', '/batch', { operations })).status).toBe(200)
  }
  for (const [at, text] of [
    word,
    '☺'.repeat(5_200_000),
    '\u0345'.repeat(300_000),
    '{"a":[1]},'.repeat(200_000),
  ].entries())
    expect((await brain.call('POST', '/documents', { id: `d${at}`, text })).status).toBe(201)
  const about = { subject: { id: 'r0', kind: 'thing' }, predicate: 'holds' }
  await brain.call('POST', '/statements', { ...about, object: { value: { [longName]: values } } })
  await brain.call('POST', '/documents', { id: 'bird', text: 'A kingfisher sits there.' })
  await untilIndexed(app, brain)
  const byBird = await find(brain, 'kingfisher')
  expect(byBird).toMatchObject({ results: [{ id: 'bird' }] })
  expect(byBird).not.toHaveProperty('degraded')
  const byWord = await find(brain, word.slice(0, 100))
  expect(byWord.results.map(({ id }: { id: string }) => id).sort()).toEqual(['d0', 'r0'])
})

// Distributed tables have no triggers.
test.skipIf(isCluster)(
  'D-33 versions that the database refuses are skipped and marked, readers see it, and other code tries them again',
  async () => {
    const { db } = app.database
    await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'index row size exceeds maximum' using errcode = '54000'; end $$`.execute(db)
    await sql`create trigger refuse before insert on passages for each row when (new.text like '%unkeepable%')
    execute function refuse()`.execute(db)
    const brain = await addBrain(app, member, 'refused')
    for (let count = 1; count <= 20; count++)
      await brain.call('POST', '/documents', {
        id: `d${count}`,
        text: count === 7 ? 'unkeepable words' : `word${count}`,
      })
    const brainId = await untilIndexed(app, brain)
    for (const count of [6, 8, 20])
      expect((await find(brain, `word${count}`)).results).toMatchObject([{ id: `d${count}` }])
    const { results, degraded } = await find(brain, 'unkeepable')
    expect(results).toEqual([])
    expect(degraded).toEqual([
      { reason: 'not_searchable', message: expect.stringContaining('1 item could not be indexed') },
    ])
    expect(degraded[0].message).toContain('document "d7"')
    const context = await brain.call('POST', '/context', { query: 'word8' })
    expect(context.body.data.degraded).toMatchObject([{ reason: 'meaning_unavailable' }, { reason: 'not_searchable' }])
    const read = async (id: string) => (await brain.call('GET', `/documents/${id}`)).body.data.document
    expect(await read('d7')).toMatchObject({ unsearchable: 'The database could not keep its words.' })
    expect(await read('d8')).not.toHaveProperty('unsearchable')
    // After another write it is no longer reported; at the state before it still is.
    const { stateVersion } = (await brain.call('GET', '')).body.data.brain
    await brain.call('POST', '/documents', { id: 'd7', text: 'word7' })
    await untilIndexed(app, brain)
    expect(await find(brain, 'word7')).not.toHaveProperty('degraded')
    expect(await read('d7')).not.toHaveProperty('unsearchable')
    const before = (await brain.call('GET', `/search?q=word8&mode=lexical&asOf=${stateVersion}`)).body.data
    expect(before.degraded).toMatchObject([{ reason: 'not_searchable' }])
    await sql`drop trigger refuse on passages`.execute(db)
    await sql`update unsearchable_versions set index_version = 0 where brain_id = ${brainId}`.execute(db)
    await runIndexer()
    const found = (await brain.call('GET', `/search?q=unkeepable&mode=lexical&asOf=${stateVersion}`)).body.data
    expect(found.results).toMatchObject([{ id: 'd7', version: 1 }])
    expect(found).not.toHaveProperty('degraded')
  },
)

test('a version that cannot be split is left out of its segment whole, and the others are in it', () => {
  const at = { type: 'document' as const, version: 1, fromState: 1, toState: null }
  const content = (id: string) => JSON.stringify({ id, title: null, occurredAt: null, sequence: null })
  // A title that is not a text overflows in the middle of its processing.
  const broken = JSON.stringify({ id: 'b', title: null, occurredAt: 'no time', sequence: null })
  const steps = buildSegment(
    [
      { ...at, id: 'a', content: content('a'), text: 'shared first' },
      { ...at, id: 'b', content: broken, text: 'shared second' },
      { ...at, id: 'c', content: content('c'), text: 'shared third' },
    ],
    10,
  )
  let step = steps.next()
  while (!step.done) step = steps.next()
  const { passages, rows, terms, failed } = step.value
  expect(passages).toBe(2)
  expect(rows).toMatchObject([{ id: '{"a","c"}', passage: '{11,12}' }])
  expect(terms.flatMap((part) => JSON.parse(part.terms))).toEqual(['share', 'first', '#type document', 'third'])
  expect(failed).toMatchObject([{ id: 'b', version: 1, failure: expect.stringContaining('RangeError') }])
})
