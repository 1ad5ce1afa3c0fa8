import { beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, type TestBrain } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { selectLiveBrain } from '../../kernel/brains/brain-queries.ts'
import { propose } from '../../knowledge/schema/schema-app.fixture.ts'
import { makeItems, useSource } from '../../writing/snapshots/test-source.fixture.ts'
import { findBrainId } from '../receipts/receipt.fixture.ts'
import { compareResults } from './preview-questions.ts'
import { readWithChange } from './read-preview.ts'

// With the model that comes with the service.

const app = useOwnApp({ NOEMA_EMBEDDINGS: 'on' })
const member = useMember(app)
let brain: TestBrain

const texts = {
  refund: 'The company refunds train tickets of a business trip within 14 days after the receipts were handed in.',
  audit: 'The yearly audit of all departments begins in March, and its papers are kept for ten years.',
}
const put = (id: string, text: string) => ({ op: 'document.put', id, text })
const record = (id: string, fields: object = {}) => ({ op: 'record.put', id, kind: 'person', fields })

const stage = async (operations: object[], to = brain): Promise<string> => {
  const { status, body } = await to.call('POST', '/batch', { operations, review: true })
  expect(status, JSON.stringify(body)).toBe(202)
  return body.data.change.id
}
const write = async (operations: object[], to = brain): Promise<string> => {
  const { status, body } = await to.call('POST', '/batch', { operations })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.change.id
}
const approve = (change: string, to = brain) => to.call('POST', `/changes/${change}/decide`, { decision: 'approved' })
const search = async (q: string, query: Record<string, string> = {}, to = brain) =>
  (await to.call('GET', `/search?${new URLSearchParams({ q, ...query })}`)).body.data
const ask = (change: string, questions: string[], to = brain, more: object = {}) =>
  to.call('POST', `/changes/${change}/preview`, { questions, ...more })

beforeAll(async () => {
  brain = await addBrain(app, member, 'handbook')
  await write([...Object.entries(texts).map(([id, text]) => put(id, text)), record('ann', { name: 'Ann' })])
})

type Result = { type: string; id: string; evidence: string; why: { reason: string }[] }
const shown = (results: Result[]) => results.map(({ type, id, evidence }) => [type, id, evidence])

test('PRV-03 texts of a change are found by their meaning, and rank as they do once they are published and embedded', async () => {
  const to = await addBrain(app, member, 'meaning')
  await write([put('audit', texts.audit), put('lunch', 'Lunch is served from noon to two in the hall.')], to)
  const isEmbedded = async () => (await search('ready', { mode: 'semantic' }, to)).degraded === undefined
  await expect.poll(isEmbedded).toBe(true)
  const change = await stage([put('refund', texts.refund), { op: 'document.retire', id: 'lunch' }], to)
  const question = 'When do I get my money back for a railway journey?'
  const modes = ['hybrid', 'semantic']
  const before = await Promise.all(modes.map((mode) => search(question, { mode }, to)))
  const previewed = await Promise.all(modes.map((mode) => search(question, { mode, change }, to)))
  for (const { results } of before) expect(results.map(({ id }: Result) => id)).not.toContain('refund')
  for (const { results, degraded } of previewed) {
    expect(results[0].id).toBe('refund')
    expect(results[0].why.map(({ reason }: { reason: string }) => reason)).toContain('meaning')
    expect(results.map(({ id }: Result) => id)).not.toContain('lunch')
    expect(degraded).toBeUndefined()
  }
  await approve(change, to)
  await expect.poll(isEmbedded).toBe(true)
  for (const [index, mode] of modes.entries())
    expect(shown((await search(question, { mode }, to)).results)).toEqual(shown(previewed[index].results))
})

test('PRV-04 a preview needs read and review, and reveals nothing of the changes of other Brains', async () => {
  const change = await stage([record('ben')])
  const other = await createBrain(app, 'foreign')
  const foreign = await stage([record('eve')], other)
  const sibling = await addBrain(app, member, 'sibling')
  const elsewhere = await stage([record('eve')], sibling)
  const read = (id: string, key?: string) =>
    brain.call('GET', `/records/ben?change=${id}`, undefined, key === undefined ? {} : { key })
  for (const held of [['read'], ['review'], ['read', 'write']])
    expect((await read(change, await brain.mintKey(held))).status, held.join()).toBe(403)
  expect((await read(change, await brain.mintKey(['read', 'review']))).status).toBe(200)
  const refusal = async (id: string) => {
    const { status, body } = await read(id)
    const text = JSON.stringify(body.error).replaceAll(id, 'id')
    const asked = await ask(id, ['Who is Ben?'])
    expect([status, asked.status]).toEqual([404, 404])
    return text.replace(/"requestId":"[^"]*"/, '')
  }
  expect(new Set(await Promise.all(['chg_unknown', foreign, elsewhere].map(refusal))).size).toBe(1)
  const past = await brain.call('GET', `/records/ben?change=${change}&asOf=1`)
  expect([past.status, past.body.error.message]).toEqual([400, expect.stringContaining('Leave asOf out')])
  await brain.call('POST', `/changes/${change}/decide`, { decision: 'rejected' })
  expect((await read(change)).body.error).toMatchObject({ kind: 'conflict', code: 'already_decided' })
})

test('PRV-05 of two changes to one record each is shown on the current state, and says when publishing would be blocked', async () => {
  await write([record('two', { name: 'Two', age: 1 })])
  const first = await stage([record('two', { name: 'First', age: 1 })])
  const second = await stage([record('two', { name: 'Second', age: 1 })])
  const patch = await stage([{ op: 'record.patch', id: 'two', fields: { age: 2 } }])
  const read = async (change: string) => (await brain.call('GET', `/records/two?change=${change}`)).body.data
  expect(await read(second)).toMatchObject({
    record: { fields: { name: 'Second' }, version: 2 },
    preview: { change: second },
  })
  await approve(first)
  expect(await read(second)).toMatchObject({
    record: { fields: { name: 'Second' }, version: 3 },
    preview: { change: second, blockedBy: expect.stringContaining('Rebase') },
  })
  expect(await read(patch)).toMatchObject({ record: { fields: { name: 'First', age: 2 } }, preview: { change: patch } })
  expect((await read(patch)).preview.blockedBy).toBeUndefined()
  const asked = (await ask(second, ['Who is Second?'])).body.data
  expect(asked.preview.blockedBy).toContain('Rebase')
  expect((await approve(second)).body.data.change.application).toBe('blocked')
})

test('PRV-05 a read during which the change is decided, or its items are written to, is not a mixture', async () => {
  await write([record('moving', { name: 'Old', note: 'x' })])
  const change = await stage([{ op: 'record.patch', id: 'moving', fields: { note: 'y' } }])
  const row = await selectLiveBrain(app.database.db, await findBrainId(app, brain))
  if (!row) throw new Error('There is no Brain.')
  const target = { brain: row, change }
  let attempts = 0
  const state = await readWithChange(app.app.deps, target, async (read) => {
    if (attempts++ === 0) await write([{ op: 'record.patch', id: 'moving', fields: { name: 'New' } }])
    await write([record('beside', { attempts })])
    return read.brain.stateVersion
  })
  expect([attempts, state]).toEqual([2, row.stateVersion + 2])
  const decided = readWithChange(app.app.deps, target, async () => void (await approve(change)))
  await expect(decided).rejects.toMatchObject({ kind: 'conflict', code: 'already_decided' })
})

test('PRV-06 merges, reverts and snapshots are previewed; schema changes and changes of more than 1,000 items are refused with the reason', async () => {
  const to = await addBrain(app, member, 'kinds')
  const friend = { predicate: 'knows', to: 'dup' }
  const made = await write(
    [record('one', { name: 'Zoe' }), record('dup', { name: 'Zoë' }), { ...record('bea'), links: [friend] }],
    to,
  )
  await to.call('PATCH', '', { mode: 'review' })
  const read = async (change: string, path: string) => (await to.call('GET', `${path}?change=${change}`)).body
  const merge = (await to.call('POST', '/records/dup/merge', { into: 'one' })).body.data.change.id
  expect((await read(merge, '/records/dup')).data).toMatchObject({ redirectedFrom: 'dup', record: { id: 'one' } })
  expect((await to.call('GET', `/records?linksTo=one&change=${merge}`)).body.data.records).toMatchObject([
    { id: 'bea' },
  ])
  const revert = (await to.call('POST', `/changes/${made}/revert`)).body.data.change.id
  expect((await read(revert, '/records')).data.records).toEqual([])
  const source = useSource(to)
  const snapshot = (await source.sync(makeItems(3))).body.data
  const applied = snapshot.snapshot?.reviewChange ?? snapshot.change?.id ?? snapshot.reviewChange
  expect((await read(applied, '/documents')).data.documents).toHaveLength(3)
  const schema = (await propose(to, { op: 'addKind', kind: 'city', title: 'City' })).body.data.change.id
  expect((await read(schema, '/records')).error).toMatchObject({
    code: 'not_previewable',
    message: expect.stringContaining('changes the schema'),
  })
  const large = (await useSource(to, 'large').sync(makeItems(1_001, 'large'))).body.data
  const tooLarge = large.snapshot?.reviewChange ?? large.change?.id ?? large.reviewChange
  expect((await read(tooLarge, '/documents')).error).toMatchObject({
    code: 'not_previewable',
    message: expect.stringContaining('1,000 items'),
  })
  const taken = await stage([{ ...record('x'), slug: 'taken' }], to)
  await approve(await stage([{ ...record('y'), slug: 'taken' }], to), to)
  expect((await read(taken, '/records')).error).toMatchObject({
    code: 'not_previewable',
    message: expect.stringMatching(/would be blocked.*taken/),
  })
})

test('PRV-07 the receipt of a preview names the change, and its versions do not count as versions of the Brain', async () => {
  const change = await stage([put('visa', 'Visa fees of a business trip are refunded, too.')])
  const { receipt, preview, results } = await search('refunds of a business trip', { change, consumerId: 'previewer' })
  expect(preview).toEqual({ change })
  expect(results.map(({ id }: Result) => id)).toEqual(expect.arrayContaining(['visa', 'refund']))
  const read = async () => (await brain.call('GET', `/receipts/${receipt}`)).body.data.receipt
  const { served, ...kept } = await read()
  expect(kept).toMatchObject({ change, operation: 'search', consumerId: 'previewer', current: true, moved: [] })
  expect(served.documents).toEqual(
    expect.arrayContaining([
      { id: 'visa', version: 1 },
      { id: 'refund', version: 1 },
    ]),
  )
  const listed = async (id: string) =>
    (await brain.call('GET', `/receipts?document=${id}&consumerId=previewer`)).body.data.receipts.length
  expect([await listed('refund'), await listed('visa')]).toEqual([1, 0])
  const { receipt: plain } = await search('refunds')
  expect((await brain.call('GET', `/receipts/${plain}`)).body.data.receipt.change).toBeUndefined()
})

test('PRV-08 questions are answered before and after a change, with what entered, left and moved', async () => {
  const to = await addBrain(app, member, 'asked')
  await write([put('old', 'The office opens at nine.'), put('rule', 'The office closes at six.')], to)
  const change = await stage(
    [
      put('new', 'The office opens at eight since May.'),
      { op: 'document.retire', id: 'old' },
      put('rule', 'The office closes at seven.'),
    ],
    to,
  )
  const { status, body } = await ask(change, ['When does the office open?', 'Is there a canteen?'], to)
  expect(status, JSON.stringify(body)).toBe(200)
  const { questions, unanswered, receipts, preview, stateVersion } = body.data
  expect({ unanswered, preview, stateVersion }).toEqual({ unanswered: 0, preview: { change }, stateVersion: 2 })
  expect(questions[0]).toMatchObject({
    question: 'When does the office open?',
    entered: [{ type: 'document', id: 'new' }],
    left: [{ type: 'document', id: 'old' }],
    changed: [{ type: 'document', id: 'rule' }],
  })
  expect(questions[0].before.results.map(({ id }: Result) => id)).toContain('old')
  expect(questions[0].after.results[0]).toMatchObject({
    id: 'new',
    version: 1,
    snippet: expect.stringContaining('eight'),
  })
  const [before, after] = await Promise.all(
    [receipts.before, receipts.after].map(async (id) => (await to.call('GET', `/receipts/${id}`)).body.data.receipt),
  )
  expect([before.change, before.stateVersion, after.change]).toEqual([undefined, 1, change])
  expect((await to.call('GET', '/documents/new')).status).toBe(404)
  for (const wrong of [[], Array(51).fill('a'), [' '], ['a'.repeat(1_001)]])
    expect((await ask(change, wrong, to)).status).toBe(400)
})

test('PRV-08 a result in another place moved, one in another version changed, and one of one side entered or left', () => {
  const side = (version: number, ...ids: string[]) => ({
    evidence: 'weak' as const,
    results: ids.map((id) => ({
      type: 'record' as const,
      id,
      version: id === 'c' ? version : 1,
      title: id,
      snippet: '',
      evidence: 'weak' as const,
    })),
  })
  expect(compareResults(side(1, 'a', 'b', 'c'), side(2, 'd', 'a', 'c'))).toEqual({
    entered: [{ type: 'record', id: 'd' }],
    left: [{ type: 'record', id: 'b' }],
    changed: [{ type: 'record', id: 'c' }],
    moved: [{ type: 'record', id: 'a', from: 1, to: 2 }],
  })
})
