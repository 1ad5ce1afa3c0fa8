import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { exportLine } from '@noema/contracts/exports.ts'
import { beforeAll, expect, test } from 'vitest'
import { createBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { countOpenTransactions } from '../../../test/open-import.ts'
import { createRichBrain } from '../../../test/rich-brain.ts'
import { exportText, importedBrain, importText } from '../../../test/transfer.ts'

// Of so many connections, transfers have four, and one organization two of these.
const app = useOwnApp({ NOEMA_DATABASE_POOL: '13' })
let rich: TestBrain
let full: string
let long: TestBrain

const writeRecords = (brain: TestBrain, from: number) => {
  const fields = { text: 'x'.repeat(2_000) }
  const operations = Array.from({ length: 1_000 }, (_, index) => ({
    op: 'record.put',
    id: `r${from + index}`,
    kind: 'x',
    fields,
  }))
  return brain.call('POST', '/batch', { operations })
}

beforeAll(async () => {
  rich = await createRichBrain(app, 'rich')
  full = await exportText(app, rich)
  long = await createBrain(app, 'long')
  for (const from of [0, 1_000, 2_000, 3_000]) await writeRecords(long, from)
})

const parseLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const listLineTypes = (text: string): string[] => [
  ...new Set(parseLines(text).map((line) => Object.keys(line)[0] ?? '')),
]

test('D-25 an export is a header, schemas, changes, records, statements, documents and dates, and a trailer that counts them', () => {
  expect(listLineTypes(full)).toEqual([
    'header',
    'schema',
    'change',
    'record',
    'statement',
    'document',
    'date',
    'trailer',
  ])
  const lines = parseLines(full)
  for (const line of lines) expect(exportLine.safeParse(line).error).toBeUndefined()
  const { trailer } = lines.at(-1)
  const count = (sort: string) => lines.filter((line) => sort in line).length
  expect(trailer).toMatchObject({
    schemas: 2,
    changes: count('change'),
    records: count('record'),
    statements: count('statement'),
    documents: count('document'),
    dates: 2,
  })
  const states = lines.flatMap(({ change }) => (change ? [`${change.decision}/${change.application}`] : []))
  expect([...new Set(states)].sort()).toEqual([
    'approved/applied',
    'approved/blocked',
    'approved/cancelled',
    'approved/not_applied',
    'approved/scheduled',
    'pending/not_applied',
    'rejected/not_applied',
    'superseded/not_applied',
  ])
})

test('D-25 export, import and export return the same to the byte', async () => {
  const { brain, answer } = await importedBrain(app, rich, 'copy', full)
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { brain: { handle: 'copy', name: 'Rich', mode: 'review' } } },
  })
  expect(await exportText(app, brain)).toBe(full)
  const current = await exportText(app, rich, { history: false })
  expect(await exportText(app, brain, { history: false })).toBe(current)
})

test('D-25 an imported Brain reads as the one that was exported, in every state', async () => {
  const { brain } = await importedBrain(app, rich, 'reads', full)
  const paths = [
    '/schema',
    '/schema?version=1',
    '/records',
    '/statements',
    '/statements?retracted=true',
    '/documents',
    '/records/gone/history',
  ]
  const { stateVersion } = (await brain.call('GET', '')).body.data.brain
  const states = Array.from({ length: stateVersion }, (_, state) => `/records?asOf=${state}`)
  const documents = ['/documents/notes', '/documents/notes?version=1', '/documents/retired/versions']
  const { changes } = (await rich.call('GET', '/changes?limit=500')).body.data
  const details = changes.map(({ id }: { id: string }) => `/changes/${id}`)
  for (const path of [...paths, ...states, ...documents, ...details]) {
    const [there, here] = await Promise.all([rich.call('GET', path), brain.call('GET', path)])
    expect(here.status, path).toBe(200)
    expect({ ...here.body.data, cursor: null }, path).toEqual({ ...there.body.data, cursor: null })
  }
})

test('D-25 work goes on where it stood: what waits is decided, and a slug that is taken stays taken', async () => {
  const { brain } = await importedBrain(app, rich, 'goes-on', full)
  const { changes } = (await brain.call('GET', '/changes?decision=pending')).body.data
  const { id } = changes.at(-1)
  const before = (await brain.call('GET', '')).body.data.brain.stateVersion
  const decided = await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved' })
  expect(decided.body.data).toMatchObject({ change: { application: 'applied' }, stateVersion: before + 1 })
  await brain.call('PATCH', '', { mode: 'direct' })
  expect((await brain.call('POST', '/records', { kind: 'person', slug: 'ada' })).body.error.code).toBe('slug_taken')
})

test('EVT-11 an import emits one event for each thing that is current, records before statements about them', async () => {
  const { brain } = await importedBrain(app, rich, 'events', full)
  const { events } = (await brain.call('GET', '/events?limit=500')).body.data
  const lines = parseLines(full)
  const current = lines.filter(
    (line) => (line.record || line.statement || line.document) && !line.ended && !line.retraction,
  )
  const addresses = current.map((line) => line.record?.id ?? line.statement?.id ?? line.document.id)
  const reported = events.map(
    ({ data }: { data: Record<string, { id: string }> }) => (data.record ?? data.statement ?? data.document)?.id,
  )
  expect(reported).toEqual(addresses)
  const types = events.map(({ type }: { type: string }) => type)
  expect([...new Set(types)]).toEqual(['record.accepted', 'statement.asserted', 'document.served'])
  const [accepted] = events.filter(({ data }: { data: { record?: { id: string } } }) => data.record?.id === 'acme')
  const { record } = current.find((line) => line.record?.id === 'acme')
  expect(accepted.data).toEqual({
    record: { id: 'acme', kind: 'company' },
    operation: 'created',
    fields: Object.keys(record.fields),
    links: ['employs'],
    change: record.provenance.change,
    stateVersion: record.stateVersion,
  })
})

test('D-25 without history an export holds what is current, and is imported at its versions', async () => {
  const current = await exportText(app, rich, { history: false })
  expect(listLineTypes(current)).toEqual(['header', 'schema', 'record', 'statement', 'document', 'date', 'trailer'])
  expect(parseLines(current).filter((line) => line.ended || line.retraction)).toEqual([])
  const { brain, answer } = await importedBrain(app, rich, 'current', current)
  expect(answer.status).toBe(200)
  const [there, here] = await Promise.all([rich.call('GET', '/records'), brain.call('GET', '/records')])
  expect(here.body.data.records).toEqual(there.body.data.records)
  expect(await exportText(app, brain, { history: false })).toBe(current)
})

test('D-25 an empty Brain is exported and imported too', async () => {
  const brain = await createBrain(app, 'empty')
  const text = await exportText(app, brain)
  expect(listLineTypes(text)).toEqual(['header', 'trailer'])
  const { answer } = await importedBrain(app, brain, 'empty-copy', text)
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { brain: { stateVersion: 0 }, imported: { records: 0 } } },
  })
})

test('D-25 content that is written while an export is read is not in it', async () => {
  const response = await fetch(`${app.base}${long.path}/export?history=true`, {
    headers: { authorization: `Bearer ${long.key}` },
  })
  const reader = response.body?.getReader()
  const pieces = [(await reader?.read())?.value ?? new Uint8Array()]
  // The answer has begun and is far longer than what connections hold, so the export is under way.
  await writeRecords(long, 10_000)
  await long.call('DELETE', '/records/r3999')
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) pieces.push(piece.value)
  const text = Buffer.concat(pieces).toString()
  const lines = parseLines(text)
  expect(lines[0].header.stateVersion).toBe(4)
  expect(lines.at(-1).trailer).toMatchObject({ changes: 4, records: 4_000 })
  expect(lines.filter((line) => line.ended)).toEqual([])
  expect((await importedBrain(app, long, 'long-copy', text)).answer.status).toBe(200)
})

/** Begins to read an export on a connection of its own, and reads no further. */
const beginExport = async ({ path, key }: TestBrain): Promise<IncomingMessage> => {
  const sent = get(`${app.base}${path}/export`, { agent: false, headers: { authorization: `Bearer ${key}` } })
  const [response] = await once(sent, 'response')
  return response
}

test('D-25 an unread export keeps no transaction open, and is whole when it is read', async () => {
  const whole = await exportText(app, long, { history: false })
  const reader = await beginExport(long)
  await expect.poll(() => countOpenTransactions(app)).toBe(0)
  expect(reader.readableEnded).toBe(false)
  const pieces: Buffer[] = []
  for await (const piece of reader) pieces.push(piece)
  expect(Buffer.concat(pieces).toString() === whole).toBe(true)
})

test('D-25 SUR-04 a reader that leaves ends the export; of more than an organization may have, one waits for that', async () => {
  const readers = await Promise.all([beginExport(long), beginExport(long)])
  expect(readers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  const third = beginExport(long)
  // Another organization has its place at once, and does not wait for those who wait for theirs.
  const other = await createBrain(app, 'other')
  expect((await exportText(app, other)).split('\n')).toHaveLength(3)
  readers[0]?.destroy()
  const last = await third
  expect(last.statusCode).toBe(200)
  for (const reader of [...readers, last]) reader.destroy()
  const twoAtOnce = async () =>
    (await Promise.all([rich, rich].map((brain) => exportText(app, brain)))).every((text) => text === full)
  await expect.poll(twoAtOnce).toBe(true)
})

test('D-25 a held Brain is exported, and takes no import', async () => {
  const brain = await createBrain(app, 'held')
  const text = await exportText(app, brain)
  await brain.call('PUT', '/hold', { reason: 'move' })
  expect(await exportText(app, brain)).toBe(text)
  expect(await importText(app, brain, text)).toMatchObject({ status: 409, body: { error: { code: 'brain_held' } } })
})

test('D-25 exports and imports are for management keys of the organization alone', async () => {
  const key = await rich.mintKey(['read', 'write', 'review', 'admin'])
  const stranger = await createMember(app)
  const ndjson = { 'content-type': 'application/x-ndjson' }
  const statuses = async (given?: string) => {
    const reached = given === undefined ? {} : { key: given }
    const exported = await app.request('GET', `${rich.path}/export`, reached)
    const imported = await app.request('POST', `${rich.path}/import`, { ...reached, headers: ndjson, body: full })
    return [exported.status, imported.status]
  }
  expect(await statuses()).toEqual([401, 401])
  expect(await statuses(key)).toEqual([401, 401])
  expect(await statuses(stranger.key)).toEqual([404, 404])
  expect((await rich.call('GET', '/export?history=maybe')).status).toBe(400)
})

test('D-25 DAT-03 an imported Brain is under its schema, and tells of the dates still to come and of no other', async () => {
  const task = (number: number) => ({ kind: 'task', fields: { number } })
  for (const [handle, text] of [
    ['under-schema', full],
    ['under-current', await exportText(app, rich, { history: false })],
  ] as const) {
    const { brain } = await importedBrain(app, rich, handle, text)
    await brain.call('PATCH', '', { mode: 'direct' })
    const codes = [task(7), { kind: 'task', fields: { number: 'x' } }].map(
      async (body) => (await brain.call('POST', '/records', body)).body.error.code,
    )
    expect(await Promise.all(codes)).toEqual(['field_taken', 'schema_violation'])
    app.clock.advance({ days: 1 })
    await app.app.workers.find(({ name }) => name === 'emit reached dates')?.run()
    const { events } = (await brain.call('GET', '/events?types=date.reached')).body.data
    const data = { record: { id: 'task', kind: 'task' }, field: 'due', offset: 'P0D', dueAt: expect.any(String) }
    expect(events).toMatchObject([{ data }])
  }
})
