import { expect, test } from 'vitest'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

const put = (id: string, body: object) => brain.call('PUT', `/records/${id}`, body)
const patch = (id: string, body: object) => brain.call('PATCH', `/records/${id}`, body)
const get = async (id: string) => (await brain.call('GET', `/records/${id}`)).body.data.record
const lastEvents = async (change: string) => {
  const { body } = await brain.call('GET', '/events?limit=500')
  return body.data.events.filter((event: { data: { change?: string } }) => event.data.change === change)
}

test('KNO-01 D-05 a record that is created gets an id and is answered as it is read afterwards', async () => {
  const fields = { name: 'Ann', age: 41, tags: ['a', null, { b: 1.5 }], deep: { x: { y: false } }, none: null }
  const links = [{ predicate: 'knows', to: 'bob' }]
  const created = await brain.call('POST', '/records', { kind: 'person', slug: 'ann', fields, links })
  expect(created).toMatchObject({ status: 201, body: { data: { outcome: 'landed' } } })
  const { record, change, stateVersion } = created.body.data
  expect(change).toEqual({ id: expect.stringMatching(/^chg_/), decision: 'approved', application: 'applied' })
  expect(record).toEqual({
    id: expect.stringMatching(/^rec_/),
    ...{ kind: 'person', slug: 'ann', fields, links, version: 1, stateVersion },
    provenance: { change: change.id, key: brain.keyId },
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: record.createdAt,
  })
  const read = await brain.call('GET', `/records/${record.id}`)
  expect(read).toMatchObject({ status: 200, body: { data: { record, stateVersion } } })
})

test('KNO-01 two creates of the same content make two records', async () => {
  const body = { kind: 'note', fields: { same: true } }
  const [one, two] = [await brain.call('POST', '/records', body), await brain.call('POST', '/records', body)]
  expect(two.body.data.record.id).not.toBe(one.body.data.record.id)
})

test('KNO-01 PUT creates under the id that the caller chose, and then replaces the record whole', async () => {
  const made = await put('chosen', {
    kind: 'person',
    slug: 'cho',
    fields: { a: 1, b: 2 },
    links: [{ predicate: 'p', to: 'x' }],
  })
  expect(made).toMatchObject({ status: 201, body: { data: { record: { id: 'chosen', version: 1 } } } })
  const replaced = await put('chosen', { kind: 'person', fields: { b: 3 } })
  expect(replaced.status).toBe(200)
  expect(await get('chosen')).toMatchObject({ version: 2, slug: null, fields: { b: 3 }, links: [] })
  expect((await get('chosen')).createdAt).toBe(made.body.data.record.createdAt)
})

test('D-01 an id of 200 characters of any script is kept as it is, and one of 201 is refused', async () => {
  const id = 'ü/ %?#😀'.repeat(40).slice(0, 200)
  expect((await put(encodeURIComponent(id), { kind: 'odd' })).status).toBe(201)
  expect((await get(encodeURIComponent(id))).id).toBe(id)
  for (const bad of ['x'.repeat(201), '%24ref%3Aa', '%00'])
    expect(await put(bad, { kind: 'odd' })).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
})

test('KNO-01 D-05 repeating a PUT or a PATCH answers the change that made the version, and emits nothing', async () => {
  const body = { kind: 'person', fields: { a: { b: [1] } }, links: [{ predicate: 'p', to: 'again' }] }
  const first = await put('again', body)
  const { record, change, stateVersion } = first.body.data
  await put('another', { kind: 'person' })
  for (const repeat of [
    await put('again', body),
    await patch('again', { fields: { a: { b: [1] } } }),
    await patch('again', {}),
  ]) {
    expect(repeat.status).toBe(200)
    expect(repeat.body.data).toEqual({ outcome: 'landed', change, stateVersion, record })
  }
  expect(await lastEvents(change.id)).toHaveLength(1)
  const { body: now } = await brain.call('GET', '/records/again')
  expect(now.data.stateVersion).toBe(stateVersion + 1)
})

test('D-30 the order of field names makes no new version', async () => {
  await put('ordered', { kind: 'k', fields: { a: { x: 1, y: 2 }, b: 1 } })
  const repeat = await put('ordered', { kind: 'k', fields: { b: 1, a: { y: 2, x: 1 } } })
  expect(repeat.body.data.record.version).toBe(1)
})

test('D-30 PATCH merges fields as RFC 7396 says', async () => {
  // The examples of the RFC's appendix, each as the value of a field.
  const cases: [unknown, unknown, unknown][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    ['x', { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]
  await put('merged', { kind: 'k', fields: Object.fromEntries(cases.map(([before], index) => [`f${index}`, before])) })
  const patched = await patch('merged', {
    fields: Object.fromEntries(cases.map(([, given], index) => [`f${index}`, given])),
  })
  expect(patched.status).toBe(200)
  const expected = Object.fromEntries(cases.map(([, , after], index) => [`f${index}`, after]))
  expect((await get('merged')).fields).toEqual(expected)
  await patch('merged', { fields: { f0: null, absent: null } })
  const { f0, ...rest } = expected
  expect((await get('merged')).fields).toEqual(rest)
})

test('D-30 PATCH replaces links by predicate, and to: null removes those of a predicate', async () => {
  const links = [
    { predicate: 'knows', to: 'a' },
    { predicate: 'knows', to: 'b' },
    { predicate: 'owns', to: 'c' },
    { predicate: 'owns', to: 'c' },
  ]
  expect((await put('linked', { kind: 'k', links })).body.data.record.links).toEqual(links.slice(0, 3))
  const replaced = await patch('linked', { links: [{ predicate: 'knows', to: 'z' }] })
  expect(replaced.body.data.record.links).toEqual([links[2], { predicate: 'knows', to: 'z' }])
  const removed = await patch('linked', {
    links: [
      { predicate: 'owns', to: null },
      { predicate: 'never', to: null },
    ],
  })
  expect(removed.body.data.record.links).toEqual([{ predicate: 'knows', to: 'z' }])
  const [event] = await lastEvents(removed.body.data.change.id)
  expect(event.data).toMatchObject({ fields: [], links: ['owns'] })
})

test('D-30 a PATCH with a new kind retypes the record, and the event names the old kind', async () => {
  await put('retyped', { kind: 'person', fields: { a: 1 } })
  const retyped = await patch('retyped', { kind: 'robot' })
  expect(retyped.body.data.record).toMatchObject({ kind: 'robot', version: 2, fields: { a: 1 } })
  const [event] = await lastEvents(retyped.body.data.change.id)
  expect(event.data).toMatchObject({
    record: { id: 'retyped', kind: 'robot' },
    operation: 'updated',
    retypedFrom: 'person',
  })
  const replaced = await put('retyped', { kind: 'person', fields: { a: 1 } })
  expect((await lastEvents(replaced.body.data.change.id))[0].data.retypedFrom).toBe('robot')
})

test('D-06 If-Match lets a write pass at the current version alone', async () => {
  await put('matched', { kind: 'k', fields: { n: 1 } })
  await put('matched', { kind: 'k', fields: { n: 2 } })
  const write = (method: string, version: string) =>
    brain.call(method, '/records/matched', method === 'DELETE' ? undefined : { kind: 'k', fields: { n: 3 } }, {
      headers: { 'if-match': version },
    })
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const stale = await write(method, '"1"')
    expect(stale).toMatchObject({ status: 409, body: { error: { kind: 'conflict', code: 'stale_version' } } })
    expect(stale.body.error.details[0].current).toBe(2)
    for (const malformed of ['2', '"0"', '*', '"2", "3"', 'W/"2"', '"x"', '""'])
      expect(await write(method, malformed), malformed).toMatchObject({
        status: 400,
        body: { error: { kind: 'validation' } },
      })
  }
  expect((await get('matched')).version).toBe(2)
  expect((await write('PUT', '"2"')).body.data.record.version).toBe(3)
  expect((await write('PATCH', '"3"')).body.data.record.version).toBe(3)
  expect((await write('DELETE', '"3"')).status).toBe(200)
  const gone = await write('PUT', '"3"')
  expect(gone).toMatchObject({ status: 409, body: { error: { code: 'stale_version', details: [{ current: null }] } } })
})

test('D-30 a deleted record leaves every current read, keeps its history, and can be made again', async () => {
  await put('mortal', { kind: 'k', slug: 'mortal', fields: { n: 1 } })
  const deleted = await brain.call('DELETE', '/records/mortal')
  expect(deleted).toMatchObject({
    status: 200,
    body: { data: { outcome: 'landed', record: { id: 'mortal', kind: 'k' } } },
  })
  const { change, stateVersion } = deleted.body.data
  expect((await brain.call('GET', '/records/mortal')).status).toBe(404)
  expect((await brain.call('GET', '/records?slug=mortal')).body.data.records).toEqual([])
  expect((await patch('mortal', { fields: {} })).status).toBe(404)
  const repeat = await brain.call('DELETE', '/records/mortal')
  expect(repeat).toMatchObject({ status: 200, body: { data: { change, stateVersion } } })
  expect(await lastEvents(change.id)).toMatchObject([
    { type: 'record.deleted', data: { record: { id: 'mortal', kind: 'k' } } },
  ])

  const again = await put('mortal', { kind: 'other', fields: { n: 1 } })
  expect(again).toMatchObject({ status: 201, body: { data: { record: { version: 2, kind: 'other' } } } })
  expect((await lastEvents(again.body.data.change.id))[0].data).toMatchObject({ operation: 'created', fields: ['n'] })
  const { body } = await brain.call('GET', '/records/mortal/history')
  expect(body.data.versions).toMatchObject([
    { record: { version: 1, slug: 'mortal' }, ended: { stateVersion, change: change.id, deleted: true } },
    { record: { version: 2 }, ended: null },
  ])
})

test('KNO-01 an unknown record is 404 to read, to patch, to delete and for its history', async () => {
  for (const [method, below, body] of [
    ['GET', '/records/never'],
    ['GET', '/records/never/history'],
    ['GET', '/records/%00'],
    ['DELETE', '/records/never'],
    ['PATCH', '/records/never', { fields: { a: 1 } }],
  ] as const) {
    const answer = await brain.call(method, below, body)
    expect(answer.status, `${method} ${below}`).toBe(below.endsWith('%00') ? 400 : 404)
  }
})

test('D-30 a malformed record is refused with the path of the fault', async () => {
  for (const [body, path] of [
    [{}, 'body.kind'],
    [{ kind: '1x' }, 'body.kind'],
    [{ kind: 'k'.repeat(129) }, 'body.kind'],
    [{ kind: 'k', fields: [] }, 'body.fields'],
    [{ kind: 'k', fields: { ['n'.repeat(129)]: 1 } }, `body.fields.${'n'.repeat(129)}`],
    [{ kind: 'k', links: [{ predicate: 'p' }] }, 'body.links.0.to'],
    [{ kind: 'k', links: [{ predicate: '', to: 'x' }] }, 'body.links.0.predicate'],
    [{ kind: 'k', links: Array(1001).fill({ predicate: 'p', to: 'x' }) }, 'body.links'],
    [{ kind: 'k', provenance: { trust: 'much' } }, 'body.provenance.trust'],
  ] as const) {
    const refused = await brain.call('POST', '/records', body)
    expect(refused, path).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
    expect(refused.body.error.details[0].path).toBe(path)
  }
})
