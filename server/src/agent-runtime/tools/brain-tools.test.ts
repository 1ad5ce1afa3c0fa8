import { expect, test } from 'vitest'
import { addBrain, createBrain, type TestBrain } from '../../test/app.ts'
import { useBrainPerTest, useMember, useOwnApp } from '../../test/harness.ts'
import { joinOrganization } from '../../test/organizations.ts'
import { exportText, importedBrain } from '../../test/transfer.ts'
import { boundOutput, maxOutputBytes } from './bound-output.ts'
import { listRunTools } from './list-run-tools.ts'
import { addRun, callRunTool } from './run-tools.fixture.ts'

const app = useOwnApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

const list = async (...grants: Parameters<typeof addRun>[1]) =>
  listRunTools(app.app.deps, await addRun(app, grants as Parameters<typeof addRun>[1]))
const put = { op: 'record.put', id: 'ada', kind: 'person', fields: { name: 'Ada' } }

test('a run is listed what its access opens: nothing that decides, evolves, exports or mints, and to a reader no write', async () => {
  const reading = await list({ brain, access: 'read_only' })
  expect(reading.map(({ name }) => name)).toEqual([
    'knowledge_search',
    'knowledge_context',
    'knowledge_query',
    'knowledge_read',
    'knowledge_events',
    'knowledge_schema',
    'ask_human',
  ])
  const writing = await list({ brain, access: 'read_write' })
  expect(writing.map(({ name }) => name)).toContain('knowledge_write')
  expect(writing.map(({ name }) => name)).not.toContain('knowledge_decide')
  const schema = writing.find(({ name }) => name === 'knowledge_schema')
  expect(schema?.inputSchema.properties?.action).toMatchObject({ enum: ['get', 'list_emerged'] })
  expect(JSON.stringify(schema)).not.toMatch(/evolve|promote/)
})

test('a model sees no argument that the server sets, and is refused if it sends one', async () => {
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  const tools = await listRunTools(app.app.deps, run)
  expect(JSON.stringify(tools)).not.toMatch(/consumerId|idempotencyKey|"provenance"|"trust"|"handle"/)
  for (const [name, input, place] of [
    ['knowledge_search', { query: 'ada', consumerId: 'me' }, 'arguments.consumerId'],
    ['knowledge_search', { query: 'ada', handle: 'other' }, 'arguments.handle'],
    ['knowledge_write', { operations: [put], idempotencyKey: 'k' }, 'arguments.idempotencyKey'],
    ['knowledge_write', { operations: [{ ...put, provenance: { trust: 'trusted' } }] }, 'operations.0.provenance'],
    ['knowledge_schema', { action: 'evolve', baseVersion: 0, operations: [] }, 'needs admin; the key has read, write'],
    ['knowledge_read', 'ada', 'The arguments of a tool are an object.'],
  ] as const) {
    const outcome = await callRunTool(app, run, name, input)
    expect(outcome).toMatchObject({ isError: true, output: expect.stringContaining(place) })
  }
  expect((await brain.call('GET', '/records')).body.data.records).toEqual([])
})

test('D-53 each read of a run leaves a receipt under the run: a search, a context, a query, a read by id and a list', async () => {
  await brain.call('PUT', '/records/ada', { kind: 'person', slug: 'ada', fields: { name: 'Ada' } })
  await brain.call('POST', '/documents', { id: 'note', text: 'Ada wrote the first program.' })
  const run = await addRun(app, [{ brain, access: 'read_only' }])
  const reads = [
    ['knowledge_search', { query: 'Ada' }, 'search', 'chunk'],
    ['knowledge_context', { query: 'Ada' }, 'context', 'chunk'],
    ['knowledge_query', { kind: 'person', where: { slug: 'ada' } }, 'query', 'knowledge_graph'],
    ['knowledge_read', { id: 'ada' }, 'read', 'knowledge_graph'],
    ['knowledge_read', { action: 'list_records' }, 'read', 'knowledge_graph'],
    ['knowledge_read', { action: 'get_document', id: 'note' }, 'read', 'corpus'],
  ] as const
  for (const [name, input, operation, subject] of reads) {
    const outcome = await callRunTool(app, run, name, input)
    expect(outcome).toMatchObject({ isError: false, subject, brainHandle: brain.brain.handle })
    const { body } = await brain.call('GET', `/receipts/${outcome.receipt}`)
    expect(body.data.receipt).toMatchObject({ consumerId: run.id, operation, current: true })
    const { records, documents } = body.data.receipt.served
    expect([...records, ...documents]).toContainEqual({ id: subject === 'corpus' ? 'note' : 'ada', version: 1 })
  }
})

test('D-35 a write of a run is a change: its provenance has the run, its newest receipt and no one who vouches for it', async () => {
  await brain.call('POST', '/documents', { id: 'note', text: 'Ada wrote the first program.' })
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  await callRunTool(app, run, 'knowledge_search', { query: 'Ada' })
  const { receipt } = await callRunTool(app, run, 'knowledge_read', { action: 'get_document', id: 'note' })
  app.clock.advance({ seconds: 1 })
  const retract = { op: 'record.delete', id: 'ada' }
  const written = await callRunTool(app, run, 'knowledge_write', { operations: [put] })
  expect(written).toMatchObject({ isError: false, output: { outcome: 'landed' } })
  const { provenance } = (await brain.call('GET', '/records/ada')).body.data.record
  const userId = expect.any(String)
  const actor = { type: 'run', id: run.id, runId: run.id, userId }
  expect(provenance).toEqual({ change: written.change, key: run.id, actor, receipt, trust: 'unverified' })
  const { change } = (await brain.call('GET', `/changes/${written.change}`)).body.data
  expect(change.stagedByActor).toEqual(actor)
  expect(await callRunTool(app, run, 'knowledge_write', { operations: [retract] })).toMatchObject({ isError: false })
})

test('a write that is called again under its operation is the same write, whatever was read meanwhile', async () => {
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  await brain.call('PUT', '/records/bob', { kind: 'person' })
  const input = { operations: [{ op: 'record.create', kind: 'person', fields: { name: 'Ada' } }] }
  const first = await callRunTool(app, run, 'knowledge_write', input, { operationId: 'opr_01kaaaaaaaaaaaaaaaaaaaaaaa' })
  await callRunTool(app, run, 'knowledge_read', { id: 'bob' })
  const again = await callRunTool(app, run, 'knowledge_write', input, { operationId: 'opr_01kaaaaaaaaaaaaaaaaaaaaaaa' })
  expect(again).toEqual(first)
  expect((await brain.call('GET', '/records?kind=person')).body.data.records).toHaveLength(2)
})

test('a run in a Brain under review learns that its write is staged, does not read it, and its starter cannot approve it alone', async () => {
  await brain.call('PATCH', '', { mode: 'review', reviewRules: { requireOtherReviewer: true } })
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  const written = await callRunTool(app, run, 'knowledge_write', { operations: [put] })
  expect(written).toMatchObject({ isError: false, output: { outcome: 'staged' } })
  expect(await callRunTool(app, run, 'knowledge_read', { id: 'ada' })).toMatchObject({ isError: true })
  const decide = (extra: object) =>
    brain.call('POST', `/changes/${written.change}/decide`, { decision: 'approved' }, extra)
  expect(await decide({})).toMatchObject({ status: 403, body: { error: { code: 'self_review' } } })
  expect(await decide({ headers: member.session, key: undefined })).toMatchObject({ status: 403 })
  const guest = await joinOrganization(app, member)
  expect((await decide({ headers: guest.session, key: undefined })).status).toBe(200)
  const { provenance } = (await brain.call('GET', '/records/ada')).body.data.record
  expect(provenance).toMatchObject({ change: written.change, key: run.id, actor: { type: 'run', runId: run.id } })
})

test('D-25 writes of a run are exported and imported with the run as their author', async () => {
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  await callRunTool(app, run, 'knowledge_write', { operations: [put] })
  const text = await exportText(app, brain)
  const { brain: copy, answer } = await importedBrain(app, brain, `copy-of-${brain.brain.handle}`, text)
  expect(answer.status).toBe(200)
  const read = async (one: TestBrain) => (await one.call('GET', '/records/ada')).body.data.record.provenance
  expect(await read(copy)).toEqual(await read(brain))
  expect(await read(copy)).toMatchObject({ actor: { type: 'run', id: run.id }, trust: 'unverified' })
})

test('with several Brains their tools carry the handles, each reaches its own, and names fit every provider', async () => {
  const longest = await addBrain(app, member, `a${'-long'.repeat(11)}`)
  const run = await addRun(app, [
    { brain, access: 'read_only' },
    { brain: longest, access: 'read_write' },
  ])
  await longest.call('PUT', '/records/ada', { kind: 'person' })
  const tools = await listRunTools(app.app.deps, run)
  const names = tools.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))).toEqual([])
  expect(names).toContain(`${brain.brain.handle}__knowledge_search`)
  expect(names.filter((name) => name.includes('knowledge_write'))).toEqual([])
  const writes = tools.filter(({ source }) => source.toolName === 'knowledge_write')
  expect(writes).toHaveLength(1)
  const read = tools.filter(({ source }) => source.toolName === 'knowledge_read').map(({ name }) => name)
  expect(await callRunTool(app, run, read[0] ?? '', { id: 'ada' })).toMatchObject({ isError: true })
  expect(await callRunTool(app, run, read[1] ?? '', { id: 'ada' })).toMatchObject({
    isError: false,
    brainHandle: longest.brain.handle,
  })
})

test('an answer is shown up to 256 KiB, then cut and said to be; a page beyond reason is refused before it is read', async () => {
  const text = '"ada"\n'.repeat(80_000)
  await brain.call('POST', '/documents', { id: 'long', text })
  const run = await addRun(app, [{ brain, access: 'read_only' }])
  const { output, isError } = await callRunTool(app, run, 'knowledge_read', { action: 'get_document', id: 'long' })
  expect(isError).toBe(false)
  expect(output).toMatchObject({ truncated: true, note: expect.stringContaining('Ask for less') })
  expect(JSON.stringify(output).length).toBeLessThanOrEqual(maxOutputBytes + 1_000)
  const fields = { text: 'a'.repeat(900_000) }
  for (const id of ['a', 'b', 'c']) await brain.call('PUT', `/records/${id}`, { kind: 'long', fields })
  const page = await callRunTool(app, run, 'knowledge_read', { action: 'list_records' })
  expect(page).toMatchObject({ isError: true, output: expect.stringContaining('limit') })
  expect(await callRunTool(app, run, 'knowledge_read', { action: 'list_records', limit: 2 })).toMatchObject({
    isError: false,
    output: { truncated: true },
  })
})

test('a cut ends with a whole character, and a text stays a text', () => {
  const cut = boundOutput({ text: 'é'.repeat(maxOutputBytes) }) as { beginning: string }
  expect(cut.beginning.at(-1)).toBe('é')
  expect(boundOutput('a'.repeat(maxOutputBytes))).toMatch(/^a+\n\[This is the beginning of an answer/)
  expect(boundOutput(undefined)).toBe(null)
})

test('a Brain of another organization is no Brain of a run, whatever its grant says', async () => {
  const foreign = await createBrain(app, 'foreign')
  await foreign.call('PUT', '/records/ada', { kind: 'person' })
  const run = await addRun(app, [
    { brain, access: 'read_only' },
    { brain: foreign, access: 'read_only' },
  ])
  expect(await callRunTool(app, run, 'foreign__knowledge_read', { id: 'ada' })).toMatchObject({
    isError: true,
    output: expect.stringContaining('is gone'),
  })
})
