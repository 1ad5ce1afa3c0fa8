import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'

const app = useApp()

const eventTypes = async (brain: TestBrain): Promise<string[]> => {
  const page = await brain.call('GET', '/events?limit=500')
  return page.body.data.events.map(({ type }: { type: string }) => type)
}

/** A Brain whose writes wait, with what one write of each of these bodies staged. */
const stagedBrain = async (handle: string, bodies: readonly object[]) => {
  const brain = await createBrain(app, handle)
  await brain.call('PATCH', '', { mode: 'review' })
  const ids: string[] = []
  for (const body of bodies) ids.push((await brain.call('POST', '/records', body)).body.data.change.id)
  return { brain, ids }
}

test('BRN-04 D-43 one key lands in direct mode, with content events alone, and stages in review mode', async () => {
  const brain = await createBrain(app, 'modes')
  for (const key of [await brain.mintKey(['write']), await brain.mintKey(['write', 'review', 'admin']), brain.key]) {
    await brain.call('PATCH', '', { mode: 'direct' })
    const landed = await brain.call('POST', '/records', { kind: 'note' }, { key })
    expect(landed).toMatchObject({
      status: 201,
      body: { data: { outcome: 'landed', change: { decision: 'approved', application: 'applied' } } },
    })
    await brain.call('PATCH', '', { mode: 'review' })
    const staged = await brain.call('POST', '/records', { kind: 'note' }, { key })
    expect(staged).toMatchObject({ status: 202, body: { data: { outcome: 'staged', stateVersion: null } } })
  }
  const each = ['record.accepted', 'change.staged']
  expect(await eventTypes(brain)).toEqual([...each, ...each, ...each])
})

test('BRN-04 D-22 a direct Brain stages the operations that its rules name, and no others', async () => {
  const brain = await createBrain(app, 'rules')
  await brain.call('PUT', '/records/kept', { kind: 'note' })
  await brain.call('PATCH', '', { reviewRules: { always: ['record.delete'] } })
  expect((await brain.call('PATCH', '/records/kept', { fields: { a: 1 } })).body.data.outcome).toBe('landed')
  expect((await brain.call('DELETE', '/records/kept')).status).toBe(202)
  expect((await brain.call('GET', '/records/kept')).status).toBe(200)
})

test('REV-01 D-40 the queue is listed by decision and application, page by page, and settled with review alone', async () => {
  const { brain, ids } = await stagedBrain(
    'queue',
    Array.from({ length: 5 }, () => ({ kind: 'note' })),
  )
  const key = await brain.mintKey(['review'])
  const list = async (query: string) => {
    const answered = await brain.call('GET', `/changes${query}`, undefined, { key })
    expect(answered.status).toBe(200)
    return answered.body.data
  }
  const listIds = (page: { changes: { id: string }[] }) => page.changes.map(({ id }) => id)
  const decide = (id: string | undefined, body: object) => brain.call('POST', `/changes/${id}/decide`, body, { key })
  expect((await decide(ids[0], { decision: 'approved' })).status).toBe(200)
  expect((await decide(ids[1], { decision: 'rejected', reason: 'Not ours.' })).status).toBe(200)
  expect((await decide(ids[2], { decision: 'approved', publish: false })).status).toBe(200)

  expect(listIds(await list('?decision=pending'))).toEqual(ids.slice(3))
  expect(listIds(await list('?decision=approved&application=not_applied'))).toEqual([ids[2]])
  expect(listIds(await list('?application=applied'))).toEqual([ids[0]])
  const first = await list('?limit=3')
  const rest = await list(`?limit=3&after=${encodeURIComponent(first.cursor)}`)
  expect([...listIds(first), ...listIds(rest)]).toEqual(ids)
  expect([first.hasMore, rest.hasMore]).toEqual([true, false])
  for (const capability of ['read', 'write', 'admin'])
    expect((await brain.call('GET', '/changes', undefined, { key: await brain.mintKey([capability]) })).status).toBe(
      403,
    )
})

test('D-40 a change shows what it would do, what it rests on, and what a reviewer should look at twice', async () => {
  const brain = await createBrain(app, 'view')
  await brain.call('PUT', '/records/ann', { kind: 'person', fields: { name: 'Ann', age: 40 } })
  await brain.call('POST', '/documents', { id: 'a', text: 'The same words.' })
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await brain.call('POST', '/batch', {
    reason: 'A birthday',
    operations: [
      { op: 'record.patch', id: 'ann', fields: { age: 41 } },
      { op: 'document.put', id: 'b', text: 'The same words.' },
      { op: 'document.put', id: 'c', text: 'Pay\u200bpal' },
      { op: 'record.put', id: 'bob', kind: 'person', provenance: { trust: 'unverified' } },
    ],
  })
  const { id } = staged.body.data.change
  const { change } = (await brain.call('GET', `/changes/${id}`)).body.data
  expect(change).toMatchObject({
    id,
    decision: 'pending',
    application: 'not_applied',
    baseStateVersion: 2,
    stateVersion: null,
    outdated: false,
    conflicts: [],
    stagedBy: brain.keyId,
    items: [
      {
        item: '1',
        op: 'record.patch',
        target: { type: 'record', id: 'ann', kind: 'person' },
        before: { fields: { name: 'Ann', age: 40 } },
        after: { fields: { name: 'Ann', age: 41 } },
        flags: [],
      },
      { item: '2', before: null, flags: ['duplicate_text'] },
      { item: '3', before: null, flags: ['hidden_characters'] },
      { item: '4', before: null, flags: ['unverified_source'] },
    ],
  })
  await brain.call('PATCH', '', { mode: 'direct' })
  await brain.call('PATCH', '/records/ann', { fields: { age: 42 } })
  const moved = (await brain.call('GET', `/changes/${id}`)).body.data.change
  expect(moved).toMatchObject({ outdated: true, conflicts: ['1'] })
})

test('D-02 times are answered in UTC with milliseconds, whatever zone they came in', async () => {
  const brain = await createBrain(app, 'times')
  await brain.call('PUT', '/records/ann', { kind: 'person' })
  const statement = await brain.call('POST', '/statements', {
    subject: { id: 'ann', kind: 'person' },
    predicate: 'lives_in',
    object: { value: 'Rome' },
    validFrom: '2026-01-01T01:00:00+01:00',
  })
  const document = await brain.call('POST', '/documents', { id: 'a', text: 'a', occurredAt: '2025-06-01T12:00:00Z' })
  expect(statement.body.data.statement.validFrom).toBe('2026-01-01T00:00:00.000Z')
  expect(document.body.data.document.occurredAt).toBe('2025-06-01T12:00:00.000Z')
  const answers = [statement, document, await brain.call('GET', ''), await brain.call('GET', '/events')]
  const times = answers.flatMap(({ body }) =>
    [...JSON.stringify(body).matchAll(/"\w+At":"([^"]*)"/g)].map(([, at]) => at),
  )
  expect(times.length).toBeGreaterThan(6)
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('D-04 an error names where the request is wrong, has a code where a program may act on it, and unknown paths are 404', async () => {
  const brain = await createBrain(app, 'errors')
  const malformed = await brain.call('POST', '/records', { kind: 7, slug: 'No Slug' })
  expect(malformed.body.error).toMatchObject({ kind: 'validation', details: expect.any(Array) })
  expect(malformed.body.error.details.map(({ path }: { path: string }) => path).sort()).toEqual([
    'body.kind',
    'body.slug',
  ])
  await brain.call('PUT', '/records/a', { kind: 'note' })
  const stale = await brain.call('PUT', '/records/a', { kind: 'note' }, { headers: { 'if-match': '"9"' } })
  expect(stale.body.error).toMatchObject({ kind: 'conflict', code: 'stale_version' })
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['DELETE', '/records'],
    ['PUT', '/batch'],
  ] as const)
    expect(await brain.call(method, path)).toMatchObject({ status: 404, body: { error: { kind: 'not_found' } } })
})

test('D-25 D-41 the edits of a decision have names that fields may have, and the Brain is still restored from its export', async () => {
  const { brain, ids } = await stagedBrain('edited', [{ kind: 'note', fields: { a: 1 } }])
  const decide = (name: string) =>
    brain.call('POST', `/changes/${ids[0]}/decide`, { decision: 'approved', edits: { 1: { fields: { [name]: 2 } } } })
  for (const name of ['', 'x'.repeat(129)]) expect(await decide(name)).toMatchObject({ status: 400 })
  expect((await decide('x'.repeat(128))).status).toBe(200)
  const headers = { authorization: `Bearer ${brain.key}`, 'content-type': 'application/x-ndjson' }
  const body = await (await fetch(`${app.base}${brain.path}/export`, { headers })).text()
  await app.request('PUT', '/v1/brains/edited-copy', { key: brain.key, body: {} })
  const imported = await fetch(`${app.base}/v1/brains/edited-copy/import`, { method: 'POST', headers, body })
  expect(imported.status).toBe(200)
})
