import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

const put = (body: object, headers?: Record<string, string>) =>
  brain.call('POST', '/documents', body, headers ? { headers } : {})
const get = (id: string) => brain.call('GET', `/documents/${encodeURIComponent(id)}`)
const retire = (id: string, headers?: Record<string, string>) =>
  brain.call('DELETE', `/documents/${encodeURIComponent(id)}`, undefined, headers ? { headers } : {})
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const listEvents = async (change: string) => {
  const { body } = await brain.call('GET', '/events?limit=500')
  return body.data.events.filter((event: { data: { change?: string } }) => event.data.change === change)
}

test('KNO-04 D-33 a document keeps the id that it was given and is read back with all its details', async () => {
  const given = {
    id: 'Notes/2024 ä.md',
    text: 'Some text.',
    title: 'A title',
    contentType: 'text/markdown',
    source: { name: 'drive', uri: 'https://drive.example/1', externalId: '1' },
    metadata: { a: [1, { b: null }] },
    sequence: { id: 'talk', position: 0 },
  }
  const served = await put({ ...given, occurredAt: '2024-05-01T10:00:00+02:00', provenance: { trust: 'trusted' } })
  expect(served).toMatchObject({ status: 201, body: { data: { outcome: 'landed' } } })
  const { document, change, stateVersion } = served.body.data
  const { text, ...details } = given
  expect(document).toEqual({
    ...details,
    ...{ version: 1, hash: sha256(text), status: 'served', length: 10, stateVersion },
    occurredAt: '2024-05-01T08:00:00.000Z',
    provenance: { trust: 'trusted', change: change.id, key: brain.keyId },
    createdAt: expect.stringMatching(/\.\d{3}Z$/),
    updatedAt: document.createdAt,
  })
  expect((await get(given.id)).body.data).toEqual({ document: { ...document, text }, stateVersion })
})

test('KNO-04 a document without an id is addressed by its text, and equal texts collapse into one', async () => {
  const text = 'The same text, twice.'
  const first = await put({ text, title: 'one' })
  expect(first.status).toBe(201)
  expect(first.body.data.document.id).toBe(`sha256:${sha256(text)}`)
  for (const same of [{}, { title: 'one' }]) {
    const again = await put({ text, ...same })
    expect([again.status, again.body.data]).toEqual([200, first.body.data])
  }
  expect(await listEvents(first.body.data.change.id)).toHaveLength(1)
  expect((await put({ text: `${text} ` })).body.data.document.id).toBe(`sha256:${sha256(`${text} `)}`)
})

test('D-33 a document that is addressed by its text gets a next version where a detail that is sent differs', async () => {
  const text = 'The same text, with details.'
  const { id } = (await put({ text, title: 'one' })).body.data.document
  for (const [version, details] of [
    [2, { title: 'two' }],
    [3, { title: 'two', metadata: { other: true } }],
    [4, { source: { name: 'wiki' } }],
  ] as const) {
    const { status, body } = await put({ text, ...details })
    expect([status, body.data.document]).toMatchObject([200, { id, version, ...details }])
    expect(await listEvents(body.data.change.id)).toHaveLength(1)
  }
})

test('KNO-04 equal texts that are sent at once collapse into one', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => put({ text: 'All at once.' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201])
  expect(new Set(answers.map(({ body }) => JSON.stringify(body)))).toHaveProperty('size', 1)
})

test('KNO-05 another text under one id is another version, and every version stays readable by number', async () => {
  for (const n of [1, 2, 3]) {
    const { status, body } = await put({ id: 'grows', text: `Text ${n}`, title: 'T' })
    expect([status, body.data.document.version]).toEqual([n === 1 ? 201 : 200, n])
  }
  expect((await get('grows')).body.data.document).toMatchObject({ version: 3, text: 'Text 3' })
  for (const n of [1, 2, 3]) {
    const { body } = await brain.call('GET', `/documents/grows?version=${n}`)
    expect(body.data.document).toMatchObject({
      version: n,
      text: `Text ${n}`,
      hash: sha256(`Text ${n}`),
      status: 'served',
    })
  }
  expect((await brain.call('GET', '/documents/grows?version=4')).status).toBe(404)
  for (const bad of ['0', '-1', 'x', '1.0', ''])
    expect((await brain.call('GET', `/documents/grows?version=${bad}`)).status, bad).toBe(400)
  const { versions } = (await brain.call('GET', '/documents/grows/versions')).body.data
  expect(versions.map(({ version, text }: { version: number; text?: string }) => [version, text])).toEqual(
    [[1], [2], [3]].map(([n]) => [n, undefined]),
  )
})

test('KNO-05 a text that comes back after another is a new version', async () => {
  for (const text of ['A', 'B', 'A']) await put({ id: 'there-and-back', text })
  expect((await get('there-and-back')).body.data.document).toMatchObject({ version: 3, text: 'A' })
})

test('D-33 D-05 the same id and text changes nothing, answers the change that served it and emits nothing', async () => {
  const first = (await put({ id: 'still', text: 'Still.', title: 'T', metadata: { a: 1 } })).body.data
  await put({ id: 'between', text: 'x' })
  for (const repeat of [{}, { title: 'T' }, { title: 'T', metadata: { a: 1 } }])
    expect(await put({ id: 'still', text: 'Still.', ...repeat })).toMatchObject({ status: 200, body: { data: first } })
  expect(await listEvents(first.change.id)).toHaveLength(1)
})

test('KNO-05 a detail that differs makes a new version of the same text', async () => {
  const base = { id: 'detailed', text: 'Constant.' }
  await put(base)
  const details = [
    { title: 'new' },
    { contentType: 'text/html' },
    { source: { name: 's' } },
    { metadata: { a: 1 } },
    { occurredAt: '2024-01-01T00:00:00Z' },
    { sequence: { id: 's', position: 1 } },
  ]
  for (const [index, detail] of details.entries()) {
    const { version } = (await put({ ...base, ...detail })).body.data.document
    expect(version, JSON.stringify(detail)).toBe(index + 2)
    expect((await put({ ...base, ...detail })).body.data.document.version).toBe(index + 2)
  }
})

test('D-33 a retired document leaves current reads, keeps its versions, and can be served again', async () => {
  await put({ id: 'retires', text: 'One', source: { name: 'retiring' } })
  const retired = await retire('retires')
  expect(retired).toMatchObject({ status: 200, body: { data: { outcome: 'landed', document: { id: 'retires' } } } })
  const { change, stateVersion } = retired.body.data
  expect((await get('retires')).status).toBe(404)
  expect((await brain.call('GET', '/documents?source=retiring')).body.data.documents).toEqual([])
  expect((await brain.call('GET', '/documents/retires?version=1')).body.data.document).toMatchObject({
    status: 'retired',
    text: 'One',
  })
  expect(await retire('retires')).toMatchObject({ status: 200, body: { data: { change, stateVersion } } })
  const source = { name: 'retiring' }
  expect(await listEvents(change.id)).toMatchObject([
    { type: 'document.retired', data: { document: { id: 'retires', source: source.name } } },
  ])

  const again = await put({ id: 'retires', text: 'One' })
  expect(again).toMatchObject({ status: 201, body: { data: { document: { version: 2, status: 'served' } } } })
  const { versions } = (await brain.call('GET', '/documents/retires/versions')).body.data
  expect(versions.map(({ version, status }: { version: number; status: string }) => [version, status])).toEqual([
    [1, 'retired'],
    [2, 'served'],
  ])
  expect((await retire('never')).status).toBe(404)
})

test('D-06 If-Match lets a document write pass at the served version alone', async () => {
  const match = (version: number) => ({ 'if-match': `"${version}"` })
  const stale = { status: 409, body: { error: { code: 'stale_version' } } }
  expect(await put({ id: 'matched', text: 'a' }, match(1))).toMatchObject(stale)
  await put({ id: 'matched', text: 'a' })
  expect((await put({ id: 'matched', text: 'b' }, match(1))).status).toBe(200)
  expect(await put({ id: 'matched', text: 'c' }, match(1))).toMatchObject(stale)
  expect(await retire('matched', match(1))).toMatchObject(stale)
  expect((await retire('matched', match(2))).status).toBe(200)
  expect((await put({ id: 'matched', text: 'd' }, { 'if-match': 'b' })).status).toBe(400)
})

test('D-33 a malformed document is refused with the path of the fault', async () => {
  for (const [given, path] of [
    [{}, 'body.text'],
    [{ text: 1 }, 'body.text'],
    [{ text: 'x', id: '' }, 'body.id'],
    [{ text: 'x', id: 'i'.repeat(201) }, 'body.id'],
    [{ text: 'x', title: 't'.repeat(1001) }, 'body.title'],
    [{ text: 'x', source: {} }, 'body.source.name'],
    [{ text: 'x', sequence: { id: 's', position: -1 } }, 'body.sequence.position'],
    [{ text: 'x', occurredAt: 'yesterday' }, 'body.occurredAt'],
    [{ text: 'x', metadata: [] }, 'body.metadata'],
  ] as const) {
    const refused = await put(given)
    expect(refused, path).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
    expect(refused.body.error.details[0].path).toBe(path)
  }
})
