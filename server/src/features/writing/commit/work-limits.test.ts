import { expect, test } from 'vitest'
import { type Answered, createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'

// Limits of the content that a write makes the node read, compare and store: by the sizes of its targets, not of its body.

const app = useOwnApp({ NOEMA_TIERS: JSON.stringify({ unverified: { dailyMegabytes: 10 } }) })

const toFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]))
const patches = (id: string, count: number, fields: object = {}) =>
  Array.from({ length: count }, () => ({ op: 'record.patch', id, fields }))
const send = (brain: TestBrain, operations: readonly object[]) => brain.call('POST', '/batch', { operations })
const refusal = (code: string) => ({ status: 400, body: { error: { kind: 'validation', code } } })

/** Makes a stored record as large as those of earlier releases could be. */
const enlarge = async ({ brain }: TestBrain, id: string, fields: object) => {
  await app.database.pool.query(
    `update record_versions set size = null,
        record = (record::jsonb || jsonb_build_object('fields', $3::jsonb))::json
      where brain_id = (select brain_id from brains where id = $1) and id = $2 and to_state is null`,
    [brain.id, id, JSON.stringify(fields)],
  )
}

/** Has PostgreSQL take stored versions for as large as this. */
const pretend = async ({ brain }: TestBrain, table: 'record_versions' | 'statements', size: number) => {
  await app.database.pool.query(
    `update ${table} set size = $2 where brain_id = (select brain_id from brains where id = $1)`,
    [brain.id, size],
  )
}

const readBytesToday = async (brain: TestBrain): Promise<number> =>
  (await app.request('GET', '/v1/organization', { key: brain.key })).body.data.organization.limits.bytesToday.used

const measureCpu = async (work: () => Promise<Answered>): Promise<{ answer: Answered; cpu: number }> => {
  const before = process.cpuUsage()
  const answer = await work()
  const { user, system } = process.cpuUsage(before)
  return { answer, cpu: user + system }
}

test('D-08 a record has at most 5,000 fields and 1 MiB: every write of a larger one is 400, direct or for review, and stores nothing', async () => {
  const brain = await createBrain(app, 'limits')
  const tooMany = { kind: 'k', fields: toFields(5_001) }
  expect((await brain.call('PUT', '/records/most', { kind: 'k', fields: toFields(5_000) })).status).toBe(201)
  const tooLong = { fields: { text: 'x'.repeat(1024 * 1024) } }
  for (const mode of ['direct', 'review']) {
    await brain.call('PATCH', '', { mode })
    expect(await brain.call('POST', '/records', tooMany)).toMatchObject(refusal('record_too_large'))
    expect(await brain.call('PUT', '/records/more', tooMany)).toMatchObject(refusal('record_too_large'))
    expect(await brain.call('PATCH', '/records/most', { fields: { more: 1 } })).toMatchObject(
      refusal('record_too_large'),
    )
    const written = await send(brain, [{ op: 'record.create', kind: 'k', ...tooLong }])
    expect(written).toMatchObject(refusal('record_too_large'))
    expect(written.body.error.message).toContain('Operation 0')
    const patched = await send(brain, [{ op: 'record.patch', id: 'most', ...tooLong }])
    expect(patched).toMatchObject(refusal('record_too_large'))
  }
  expect((await brain.call('GET', '/records')).body.data.records).toMatchObject([{ id: 'most', version: 1 }])
  expect(
    (await brain.call('GET', '/changes')).body.data.changes.every(
      (one: { decision: string }) => one.decision === 'approved',
    ),
  ).toBe(true)
})

test('D-08 larger records of earlier releases are read, exported, imported, replaced and deleted, but not patched', async () => {
  const brain = await createBrain(app, 'large')
  for (const id of ['a', 'b']) {
    await brain.call('PUT', `/records/${id}`, { kind: 'k' })
    await enlarge(brain, id, toFields(5_500))
  }
  expect(Object.keys((await brain.call('GET', '/records/a')).body.data.record.fields)).toHaveLength(5_500)
  expect(await brain.call('PATCH', '/records/a', { fields: { f1: 2 } })).toMatchObject(refusal('record_too_large'))
  const exported = await fetch(`${app.base}${brain.path}/export`, { headers: { authorization: `Bearer ${brain.key}` } })
  const lines = await exported.text()
  const target = await createBrain(app, 'imported')
  const imported = await fetch(`${app.base}${target.path}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/x-ndjson' },
    body: lines,
  })
  expect(imported.status).toBe(200)
  expect(Object.keys((await target.call('GET', '/records/a')).body.data.record.fields)).toHaveLength(5_500)
  expect((await brain.call('PUT', '/records/a', { kind: 'k', fields: { f1: 1 } })).status).toBe(200)
  expect((await brain.call('DELETE', '/records/b')).status).toBe(200)
})

test('D-08 a hundred patches of one wide record are refused for little more work than one, whether they change anything or not', async () => {
  const brain = await createBrain(app, 'wide')
  await brain.call('PUT', '/records/wide', { kind: 'k' })
  await enlarge(brain, 'wide', toFields(20_000))
  const one = () => send(brain, patches('wide', 1, { f1: -1 }))
  await one()
  const alone = await measureCpu(one)
  for (const fields of [{}, { f1: -1 }]) {
    const { answer, cpu } = await measureCpu(() => send(brain, patches('wide', 100, fields)))
    expect(answer.status).toBe(400)
    // Microseconds: the margin is that of a collection of garbage, where the comparisons took seconds.
    expect(cpu).toBeLessThan(alone.cpu * 10 + 100_000)
  }
  expect((await brain.call('GET', '/records/wide')).body.data.record.version).toBe(1)
})

test('D-08 the patches of one change work on at most 32 MiB of records: fewer are applied one after another', async () => {
  const brain = await createBrain(app, 'patched')
  await brain.call('PUT', '/records/wide', { kind: 'k', fields: toFields(5_000) })
  expect(await send(brain, patches('wide', 100))).toMatchObject(refusal('too_much_content'))
  const { results } = (await send(brain, [...patches('wide', 19), ...patches('wide', 1, { f1: -1 })])).body.data
  expect(results.map(({ changed }: { changed: boolean }) => changed)).toEqual([...Array(19).fill(false), true])
})

test('D-08 a change whose records grew since it was staged is blocked when its patches are too much', async () => {
  const brain = await createBrain(app, 'grown')
  await brain.call('PUT', '/records/b', { kind: 'k' })
  await brain.call('PATCH', '', { mode: 'review' })
  const operations = Array.from({ length: 40 }, (_, n) => ({ op: 'record.patch', id: 'b', fields: { [`g${n}`]: n } }))
  const { id } = (await send(brain, operations)).body.data.change
  await brain.call('PATCH', '', { mode: 'direct' })
  await brain.call('PATCH', '/records/b', { fields: toFields(4_000) })
  const decided = (await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved' })).body.data.change
  expect(decided).toMatchObject({ application: 'blocked', blockedBy: expect.stringContaining('32 MiB') })
})

test('D-08 no request reads more than 64 MiB of stored content: batches, deletions, decisions and reverts are refused before anything is read', async () => {
  const brain = await createBrain(app, 'loaded')
  const ids = Array.from({ length: 100 }, (_, n) => `r${n}`)
  const made = await send(
    brain,
    ids.map((id) => ({ op: 'record.put', id, kind: 'k' })),
  )
  await pretend(brain, 'record_versions', 1_000_000)
  const tooMuch = refusal('too_much_content')
  const touch = ids.map((id) => ({ op: 'record.patch', id, fields: { a: 1 } }))
  const remove = ids.map((id) => ({ op: 'record.delete', id }))
  expect(await send(brain, touch)).toMatchObject(tooMuch)
  expect(await send(brain, remove)).toMatchObject(tooMuch)
  expect(await brain.call('POST', `/changes/${made.body.data.change.id}/revert`, {})).toMatchObject(tooMuch)
  await pretend(brain, 'record_versions', 100)
  await brain.call('PATCH', '', { mode: 'review' })
  const { id } = (await send(brain, remove)).body.data.change
  await pretend(brain, 'record_versions', 1_000_000)
  expect(await brain.call('POST', `/changes/${id}/decide`, { decision: 'approved' })).toMatchObject(tooMuch)
  expect((await brain.call('GET', `/changes/${id}`)).body.data.change.decision).toBe('pending')
  await brain.call('PATCH', '', { mode: 'direct' })
  // Requests that are too much together are committed one after another.
  const halves = await Promise.all([send(brain, remove.slice(0, 50)), send(brain, remove.slice(50))])
  expect(halves.map(({ status }) => status)).toEqual([200, 200])
})

test('D-08 a record with more statements than one commit may read is deleted once some of them are retracted', async () => {
  const brain = await createBrain(app, 'subjects')
  await brain.call('PUT', '/records/s', { kind: 'k' })
  const assert = (n: number) => ({
    ...{ op: 'statement.assert', id: `said-${n}`, subject: { id: 's', kind: 'k' }, predicate: 'p' },
    object: { value: n },
  })
  expect(
    (
      await send(
        brain,
        Array.from({ length: 80 }, (_, n) => assert(n)),
      )
    ).status,
  ).toBe(200)
  await pretend(brain, 'statements', 1_000_000)
  expect(await brain.call('DELETE', '/records/s')).toMatchObject(refusal('too_much_content'))
  const retract = Array.from({ length: 40 }, (_, n) => ({ op: 'statement.retract', id: `said-${n}` }))
  expect((await send(brain, retract)).status).toBe(200)
  expect((await brain.call('DELETE', '/records/s')).status).toBe(200)
})

test('AUT-12 D-18 statements and documents are charged by the bytes that they store, and a repeat by none', async () => {
  const brain = await createBrain(app, 'charged', { verified: false })
  await brain.call('PUT', '/records/s', { kind: 'k' })
  const spend = async (call: () => Promise<Answered>): Promise<number> => {
    const before = await readBytesToday(brain)
    expect((await call()).status).toBeLessThan(300)
    return (await readBytesToday(brain)) - before
  }
  const readSizes = async (table: string, beside: string): Promise<number> => {
    const { rows } = await app.database.pool.query<{ size: number }>(
      `select sum(size + ${beside})::int as size from ${table}
        where brain_id = (select brain_id from brains where id = $1)`,
      [brain.brain.id],
    )
    return rows[0]?.size ?? 0
  }
  const subject = { id: 's', kind: 'k' }
  const statement = { id: 'said', subject, predicate: 'p', object: { value: 'ä'.repeat(1_000) } }
  expect(await spend(() => brain.call('POST', '/statements', statement))).toBe(await readSizes('statements', '0'))
  expect(await spend(() => brain.call('POST', '/statements', statement))).toBe(0)
  const document = { text: 'ä'.repeat(1_000), title: 'What it is called.' }
  const put = () => brain.call('POST', '/documents', { id: 'd', ...document })
  const documents = () => readSizes('document_versions', 'octet_length(text)')
  expect(await spend(put)).toBe(await documents())
  const before = await documents()
  const retired = (await brain.call('DELETE', '/documents/d')).body.data.change
  expect(await spend(() => brain.call('POST', `/changes/${retired.id}/revert`, {}))).toBe((await documents()) - before)
})

test('AUT-12 D-18 the bytes of a day are those of the versions that are stored: by a patch, a revert, and a publication', async () => {
  const brain = await createBrain(app, 'first', { verified: false })
  const length = 900_000
  const { change } = (await brain.call('PUT', '/records/long', { kind: 'k', fields: { text: 'x'.repeat(length) } }))
    .body.data
  const spent = async (call: () => Promise<Answered>, status: number): Promise<number> => {
    const before = await readBytesToday(brain)
    expect((await call()).status).toBe(status)
    return (await readBytesToday(brain)) - before
  }
  const patch = (fields: object) => () => brain.call('PATCH', '/records/long', { fields })
  expect(await spent(patch({ a: 1 }), 200)).toBeGreaterThan(length)
  expect(await spent(patch({ a: 1 }), 200)).toBe(0)
  const deleted = (await brain.call('DELETE', '/records/long')).body.data.change
  expect(await spent(() => brain.call('POST', `/changes/${deleted.id}/revert`, {}), 200)).toBeGreaterThan(length)
  await brain.call('PATCH', '', { mode: 'review' })
  const staging = patch({ a: 2 })
  expect(await spent(staging, 202)).toBeLessThan(1_000)
  const [{ id }] = (await brain.call('GET', '/changes?decision=pending')).body.data.changes
  const decide = () => brain.call('POST', `/changes/${id}/decide`, { decision: 'approved' })
  expect(await spent(decide, 200)).toBeGreaterThan(length)
  expect(change.application).toBe('applied')
})
