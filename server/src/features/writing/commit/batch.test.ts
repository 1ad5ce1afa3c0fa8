import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

const batch = (...operations: object[]) => brain.call('POST', '/batch', { operations })
const get = (below: string) => brain.call('GET', below)
const stateVersion = async (): Promise<number> => (await get('/records?limit=1')).body.data.stateVersion
const listEvents = async (change: string) => {
  const { body } = await get('/events?limit=500')
  return body.data.events.filter((event: { data: { change?: string } }) => event.data.change === change)
}

test('KNO-06 D-34 a batch of all operations lands as one change and one stateVersion', async () => {
  await batch({ op: 'record.put', id: 'old', kind: 'k' }, { op: 'document.put', id: 'old', text: 'old' })
  const before = await stateVersion()
  const answer = await batch(
    { op: 'record.create', ref: 'new', kind: 'k', slug: 'new', fields: { a: 1 } },
    { op: 'record.put', id: 'put', kind: 'k', links: [{ predicate: 'to', to: '$ref:new' }] },
    { op: 'record.patch', id: '$ref:new', fields: { b: 2 } },
    { op: 'document.put', ref: 'doc', text: 'Batched.' },
    {
      op: 'statement.assert',
      ref: 'said',
      subject: { id: '$ref:new', kind: 'k' },
      predicate: 'p',
      object: { record: { id: '$ref:new', kind: 'k' } },
      sources: [{ document: '$ref:doc' }],
    },
    { op: 'statement.retract', id: '$ref:said', reason: 'r' },
    { op: 'record.delete', id: 'old' },
    { op: 'document.retire', id: 'old' },
  )
  expect(answer).toMatchObject({ status: 200, body: { data: { outcome: 'landed', stateVersion: before + 1 } } })
  const { change, results } = answer.body.data
  const [created, , , document, statement] = results
  expect(results).toEqual([
    { op: 'record.create', ref: 'new', id: expect.stringMatching(/^rec_/), version: 1, changed: true },
    { op: 'record.put', id: 'put', version: 1, changed: true },
    { op: 'record.patch', id: created.id, version: 2, changed: true },
    { op: 'document.put', ref: 'doc', id: expect.stringMatching(/^sha256:/), version: 1, changed: true },
    { op: 'statement.assert', ref: 'said', id: expect.stringMatching(/^stm_/), version: 1, changed: true },
    { op: 'statement.retract', id: statement.id, changed: true },
    { op: 'record.delete', id: 'old', changed: true },
    { op: 'document.retire', id: 'old', changed: true },
  ])
  const { record } = (await get(`/records/${created.id}`)).body.data
  expect(record).toMatchObject({ version: 2, fields: { a: 1, b: 2 }, stateVersion: before + 1 })
  expect((await get('/records/put')).body.data.record.links).toEqual([{ predicate: 'to', to: created.id }])
  const said = (await get(`/statements/${statement.id}?retracted=true`)).body.data.statement
  expect(said).toMatchObject({
    subject: { id: created.id },
    object: { record: { id: created.id } },
    sources: [{ document: document.id }],
  })
  const events = await listEvents(change.id)
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    ...Array(3).fill('record.accepted'),
    ...['document.served', 'statement.asserted', 'statement.retracted', 'record.deleted', 'document.retired'],
  ])
  for (const { data } of events) expect(data.stateVersion ?? before + 1).toBe(before + 1)
  expect(await stateVersion()).toBe(before + 1)
})

test('KNO-06 D-34 a batch with one bad operation lands nothing and tells which one it was', async () => {
  await batch(
    { op: 'record.put', id: 'there', kind: 'k', slug: 'there' },
    { op: 'record.put', id: 'there', kind: 'k', slug: 'there', fields: { v: 2 } },
  )
  const good = Array.from({ length: 3 }, (_, n) => ({ op: 'record.put', id: `half${n}`, kind: 'k' }))
  const before = await stateVersion()
  const bad: [object, number, string][] = [
    [{ op: 'record.put', id: 'x' }, 400, 'validation'],
    [{ op: 'record.rename', id: 'x' }, 400, 'validation'],
    [{ op: 'record.put', id: 'x'.repeat(201), kind: 'k' }, 400, 'validation'],
    [{ op: 'record.patch', id: '$ref:never' }, 400, 'validation'],
    [{ op: 'document.put' }, 400, 'validation'],
    [{ op: 'statement.assert', subject: { id: 'there', kind: 'k' }, predicate: 'p', object: {} }, 400, 'validation'],
    [{ op: 'record.put', id: 'there', kind: 'k', ifMatch: 1 }, 409, 'conflict'],
    [{ op: 'record.create', kind: 'k', slug: 'there' }, 409, 'conflict'],
    [
      { op: 'statement.assert', subject: { id: 'never', kind: 'k' }, predicate: 'p', object: { value: 1 } },
      409,
      'conflict',
    ],
    [{ op: 'record.patch', id: 'never' }, 404, 'not_found'],
    [{ op: 'record.delete', id: 'never' }, 404, 'not_found'],
    [{ op: 'statement.retract', id: 'never' }, 404, 'not_found'],
    [{ op: 'document.retire', id: 'never' }, 404, 'not_found'],
  ]
  for (const [operation, status, kind] of bad) {
    const refused = await batch(...good, operation, { op: 'record.put', id: 'after', kind: 'k' })
    expect(refused, JSON.stringify(operation)).toMatchObject({ status, body: { error: { kind } } })
    expect(refused.body.error.details[0].path, JSON.stringify(operation)).toMatch(/^body\.operations\.3(\.|$)/)
    if (status !== 400) expect(refused.body.error.details[0].index).toBe(3)
  }
  expect(await stateVersion()).toBe(before)
  expect((await get('/records/half0')).status).toBe(404)
})

test('D-34 a ref names one result, and only later operations may call it', async () => {
  const create = { op: 'record.create', kind: 'k' }
  const twice = await batch({ ...create, ref: 'a' }, { ...create, ref: 'a' })
  expect(twice).toMatchObject({ status: 400, body: { error: { details: [{ index: 1 }] } } })
  const early = await batch({ op: 'record.patch', id: '$ref:a' }, { ...create, ref: 'a' })
  expect(early).toMatchObject({ status: 400, body: { error: { details: [{ index: 0 }] } } })
  const self = await batch({ ...create, ref: 'a', links: [{ predicate: 'p', to: '$ref:a' }] })
  expect(self.status).toBe(400)
  for (const ref of ['', 'a b', 'r'.repeat(65)]) expect((await batch({ ...create, ref })).status).toBe(400)
})

test('D-34 a ref to a statement that was there already stands for that one', async () => {
  await batch({ op: 'record.put', id: 'about', kind: 'k' })
  const assertion = {
    op: 'statement.assert',
    subject: { id: 'about', kind: 'k' },
    predicate: 'p',
    object: { value: 1 },
  }
  const first = (await batch(assertion)).body.data.results[0].id
  const answer = await batch({ ...assertion, ref: 'same' }, { op: 'statement.retract', id: '$ref:same' })
  expect(answer.body.data.results).toMatchObject([
    { id: first, changed: false },
    { id: first, changed: true },
  ])
  expect((await get(`/statements/${first}`)).status).toBe(404)
})

test('D-34 a batch holds 1 to 1,000 operations', async () => {
  const operations = Array.from({ length: 1_001 }, (_, n) => ({
    op: 'record.put',
    id: `thousand${n}`,
    kind: 'thousandth',
  }))
  const of = await createBrain(app, 'thousand')
  const send = (part: object[]) => of.call('POST', '/batch', { operations: part })
  const refused = await send(operations)
  expect(refused).toMatchObject({ status: 400, body: { error: { details: [{ path: 'body.operations' }] } } })
  expect((await send([])).status).toBe(400)
  const landed = await send(operations.slice(1))
  expect(landed).toMatchObject({ status: 200, body: { data: { stateVersion: 1 } } })
  expect(landed.body.data.results).toHaveLength(1_000)
  const { body } = await of.call('GET', '/records?kind=thousandth&limit=500')
  expect(body.data).toMatchObject({ hasMore: true, stateVersion: 1 })
})

test('D-34 one batch may write the same things several times, in order', async () => {
  const before = await stateVersion()
  const put = (n: number) => ({ op: 'record.put', id: 'often', kind: 'k', slug: 'often', fields: { n } })
  const serve = (text: string) => ({ op: 'document.put', id: 'often', text })
  const answer = await batch(
    put(1),
    put(1),
    put(2),
    serve('a'),
    { op: 'record.delete', id: 'often' },
    serve('b'),
    put(3),
    { op: 'document.retire', id: 'often' },
    serve('b'),
  )
  expect(
    answer.body.data.results.map(({ version, changed }: { version?: number; changed: boolean }) => [version, changed]),
  ).toEqual([
    [1, true],
    [1, false],
    [2, true],
    [1, true],
    [undefined, true],
    [2, true],
    [3, true],
    [undefined, true],
    [3, true],
  ])
  const asOf = before + 1
  for (const query of ['', `?asOf=${asOf}`]) {
    expect((await get(`/records/often${query}`)).body.data.record).toMatchObject({ version: 3, fields: { n: 3 } })
    expect((await get(`/documents/often${query}`)).body.data.document).toMatchObject({ version: 3, text: 'b' })
  }
  expect((await get(`/records/often?asOf=${before}`)).status).toBe(404)
  const { versions } = (await get('/records/often/history')).body.data
  expect(versions.map(({ ended }: { ended: { deleted: boolean } | null }) => ended?.deleted)).toEqual([
    false,
    true,
    undefined,
  ])
  const events = await listEvents(answer.body.data.change.id)
  expect(
    events
      .filter(({ type }: { type: string }) => type === 'record.accepted')
      .map(({ data }: { data: { operation: string } }) => data.operation),
  ).toEqual(['created', 'updated', 'created'])
})

test('D-05 a batch that changes nothing answers the change that made things as they are', async () => {
  const first = await batch({ op: 'record.put', id: 'calm1', kind: 'k' })
  const second = await batch({ op: 'document.put', id: 'calm', text: 'calm' })
  await batch({ op: 'record.put', id: 'noise', kind: 'k' })
  const before = await stateVersion()
  const repeat = await batch(
    { op: 'document.put', id: 'calm', text: 'calm' },
    { op: 'record.put', id: 'calm1', kind: 'k' },
  )
  const { change, stateVersion: state } = second.body.data
  expect(repeat.body.data).toMatchObject({
    outcome: 'landed',
    change,
    stateVersion: state,
    results: [{ changed: false }, { changed: false }],
  })
  expect(first.body.data.change.id).not.toBe(change.id)
  expect(await stateVersion()).toBe(before)
})

test('KNO-06 IDM-01 a batch without a key is done as often as it is sent', async () => {
  const operation = { op: 'record.create', kind: 'repeated' }
  await batch(operation)
  await batch(operation)
  expect((await get('/records?kind=repeated')).body.data.records).toHaveLength(2)
})

test('D-44 a write may name the change that it corrects, which must be one of this Brain', async () => {
  const { change } = (await batch({ op: 'record.put', id: 'corrected', kind: 'k' })).body.data
  const write = (corrects: string) => brain.call('PATCH', '/records/corrected', { fields: { at: corrects }, corrects })
  expect((await write(change.id)).status).toBe(200)
  const other = await createBrain(app, 'other')
  const foreign = (await other.call('PUT', '/records/x', { kind: 'k' })).body.data.change.id
  for (const unknown of ['chg_none', foreign])
    expect(await write(unknown)).toMatchObject({ status: 404, body: { error: { kind: 'not_found' } } })
})

test('D-31 D-34 a slug that another record has is refused, even where the batch gives it back', async () => {
  await batch({ op: 'record.put', id: 'holder', kind: 'k', slug: 'held' })
  const taking = { op: 'record.put', id: 'taker', kind: 'k', slug: 'held' }
  for (const giving of [
    { op: 'record.delete', id: 'taker' },
    { op: 'record.put', id: 'taker', kind: 'k', slug: 'free' },
  ])
    expect(await batch(taking, giving)).toMatchObject({ status: 409, body: { error: { code: 'slug_taken' } } })
  expect((await get('/records/taker')).status).toBe(404)
})
