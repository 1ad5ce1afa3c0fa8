import { beforeEach, expect, test } from 'vitest'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)
let subject: { id: string; kind: string }
beforeEach(async () => {
  const { body } = await brain.call('POST', '/records', { kind: 'person' })
  subject = { id: body.data.record.id, kind: 'person' }
})

const assert = (given: object) =>
  brain.call('POST', '/statements', { subject, predicate: 'age', object: { value: 41 }, ...given })
const retract = (id: string, body?: object) => brain.call('DELETE', `/statements/${id}`, body)
const listEvents = async (change: string) => {
  const { body } = await brain.call('GET', '/events?limit=500')
  return body.data.events.filter((event: { data: { change?: string } }) => event.data.change === change)
}

test('KNO-03 D-32 a statement is asserted about a record and answered as it is read afterwards', async () => {
  const given = {
    object: { record: { id: 'x', kind: 'city' } },
    validFrom: '2024-01-01T02:00:00+02:00',
    validTo: '2025-06-30T12:00:00.5Z',
    confidence: 0.75,
    sources: [{ document: 'doc', version: 3, quote: 'so “it” is 😀' }, { document: 'other' }],
    provenance: { source: 'crm' },
  }
  const asserted = await assert(given)
  expect(asserted).toMatchObject({ status: 201, body: { data: { outcome: 'landed' } } })
  const { statement, change, stateVersion } = asserted.body.data
  expect(statement).toEqual({
    ...given,
    id: expect.stringMatching(/^stm_/),
    version: 1,
    ...{ subject, predicate: 'age', stateVersion, retractedAt: null, retraction: null },
    validFrom: '2024-01-01T00:00:00.000Z',
    validTo: '2025-06-30T12:00:00.500Z',
    provenance: { source: 'crm', change: change.id, key: brain.keyId },
    assertedAt: expect.stringMatching(/\.\d{3}Z$/),
  })
  expect((await brain.call('GET', `/statements/${statement.id}`)).body.data).toEqual({ statement, stateVersion })
})

test('D-32 asserting a live statement again returns it, with its change, and emits nothing', async () => {
  const object = { value: { b: [1, { y: 1, x: null }], a: 'ä' } }
  const first = (await assert({ object, validFrom: '2024-01-01T00:00:00Z' })).body.data
  await assert({ predicate: 'other' })
  for (const repeat of [
    { object, validFrom: '2024-01-01T00:00:00Z' },
    { object: { value: { a: 'ä', b: [1, { x: null, y: 1 }] } }, validFrom: '2024-01-01T01:00:00.000+01:00' },
    { object, validFrom: '2024-01-01T00:00:00Z', provenance: { source: 'another' }, id: 'my-own' },
  ])
    expect(await assert(repeat)).toMatchObject({ status: 200, body: { data: first } })
  expect(await listEvents(first.change.id)).toHaveLength(1)
  expect((await brain.call('GET', '/statements/my-own')).status).toBe(404)
})

test('D-32 another subject, predicate, object or validFrom makes another statement', async () => {
  const other = (await brain.call('POST', '/records', { kind: 'person' })).body.data.record.id
  const variants = [
    {},
    { subject: { id: other, kind: 'person' } },
    { predicate: 'Age' },
    { object: { value: '41' } },
    { object: { value: null } },
    { object: { record: { id: '41', kind: 'person' } } },
    { validFrom: '2024-01-01T00:00:00Z' },
  ]
  const ids = new Set<string>()
  for (const variant of variants) {
    const { status, body } = await assert(variant)
    expect(status).toBe(201)
    ids.add(body.data.statement.id)
  }
  expect(ids.size).toBe(variants.length)
})

test('D-32 the subject must be a live record, named with the kind that it has', async () => {
  const refusal = { status: 409, body: { error: { kind: 'conflict', code: 'no_subject' } } }
  expect(await assert({ subject: { id: 'nobody', kind: 'person' } })).toMatchObject(refusal)
  expect(await assert({ subject: { id: subject.id, kind: 'robot' } })).toMatchObject(refusal)
  await assert({})
  expect(await assert({ subject: { id: subject.id, kind: 'robot' } })).toMatchObject(refusal)
  await brain.call('DELETE', `/records/${subject.id}`)
  expect(await assert({})).toMatchObject(refusal)
})

test('KNO-03 D-32 a retracted statement leaves current reads and shows when, by which change and why', async () => {
  const { statement } = (await assert({})).body.data
  const retracted = await retract(statement.id, { reason: 'It was a typo.' })
  expect(retracted).toMatchObject({
    status: 200,
    body: { data: { outcome: 'landed', statement: { id: statement.id } } },
  })
  const { change, stateVersion } = retracted.body.data
  expect((await brain.call('GET', `/statements/${statement.id}`)).status).toBe(404)
  const read = await brain.call('GET', `/statements/${statement.id}?retracted=true`)
  expect(read.body.data.statement).toEqual({
    ...statement,
    retractedAt: expect.stringMatching(/\.\d{3}Z$/),
    retraction: { stateVersion, change: change.id, reason: 'It was a typo.' },
  })
  const repeat = await retract(statement.id, { reason: 'Another reason.' })
  expect(repeat).toMatchObject({ status: 200, body: { data: { change, stateVersion } } })
  expect(await listEvents(change.id)).toMatchObject([
    { type: 'statement.retracted', data: { statement: { id: statement.id } } },
  ])
  expect((await retract('never')).status).toBe(404)
  const { body } = await retract((await assert({ predicate: 'p' })).body.data.statement.id)
  expect(
    (await brain.call('GET', `/statements/${body.data.statement.id}?retracted=true`)).body.data.statement.retraction
      .reason,
  ).toBeNull()
})

test('D-32 a retracted statement can be asserted again, as a new statement', async () => {
  const first = (await assert({})).body.data.statement
  await retract(first.id)
  const again = await assert({})
  expect(again.status).toBe(201)
  expect(again.body.data.statement.id).not.toBe(first.id)
})

test('D-32 a given id is kept, and refused where it belongs to a statement that says something else', async () => {
  const id = `own/${subject.id}`
  expect((await assert({ id })).body.data.statement.id).toBe(id)
  expect((await assert({ id })).status).toBe(200)
  const taken = await assert({ id, object: { value: 42 } })
  expect(taken).toMatchObject({ status: 409, body: { error: { kind: 'conflict', code: 'id_taken' } } })
  await retract(encodeURIComponent(id))
  expect(await assert({ id })).toMatchObject({ status: 409, body: { error: { code: 'id_taken' } } })
})

test('D-32 an id that only repeated a live statement names nothing for other writes of the batch', async () => {
  // Writes that arrive together are committed together, and each must be judged as if it had come alone.
  const { statement } = (await assert({})).body.data
  for (let round = 0; round < 10; round++) {
    const id = `alias-${round}`
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => assert({ id })),
      ...Array.from({ length: 6 }, () => retract(id)),
    ])
    for (const { status, body } of answers.slice(0, 6)) {
      expect(status).toBe(200)
      expect(body.data.statement.id).toBe(statement.id)
    }
    expect(answers.slice(6).map(({ status }) => status)).toEqual(Array(6).fill(404))
  }
})

test('D-30 deleting a record retracts the live statements about it, in the same change and before it', async () => {
  const one = (await assert({})).body.data.statement
  const two = (await assert({ predicate: 'name' })).body.data.statement
  const gone = (await assert({ predicate: 'gone' })).body.data.statement
  await retract(gone.id, { reason: 'earlier' })
  const other = (await brain.call('POST', '/records', { kind: 'person' })).body.data.record
  const kept = await assert({ subject: { id: other.id, kind: 'person' }, object: { record: subject } })
  const { change, stateVersion } = (await brain.call('DELETE', `/records/${subject.id}`)).body.data
  const events = await listEvents(change.id)
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    'statement.retracted',
    'statement.retracted',
    'record.deleted',
  ])
  expect(
    new Set(events.slice(0, 2).map(({ data }: { data: { statement: { id: string } } }) => data.statement.id)),
  ).toEqual(new Set([one.id, two.id]))
  const listed = await brain.call('GET', `/statements?subject=${subject.id}&retracted=true`)
  const retractions = Object.fromEntries(
    listed.body.data.statements.map((statement: { id: string; retraction: object }) => [
      statement.id,
      statement.retraction,
    ]),
  )
  const byDeletion = { change: change.id, stateVersion, reason: expect.stringMatching(/deleted/) }
  expect(retractions).toEqual({
    [one.id]: byDeletion,
    [two.id]: byDeletion,
    [gone.id]: expect.objectContaining({ reason: 'earlier' }),
  })
  expect((await brain.call('GET', `/statements/${kept.body.data.statement.id}`)).status).toBe(200)
})

test('D-32 a malformed statement is refused with the path of the fault', async () => {
  for (const [given, path] of [
    [{ predicate: '' }, 'body.predicate'],
    [{ predicate: 'p'.repeat(129) }, 'body.predicate'],
    [{ subject: { id: 'x' } }, 'body.subject.kind'],
    [{ object: 'text' }, 'body.object'],
    [{ object: { value: 1, record: { id: 'x', kind: 'k' } } }, 'body.object'],
    [{ confidence: 1.01 }, 'body.confidence'],
    [{ validFrom: '2024-01-01' }, 'body.validFrom'],
    [{ validFrom: '2024-02-30T00:00:00Z' }, 'body.validFrom'],
    [{ validFrom: '0000-01-01T00:00:00Z' }, 'body.validFrom'],
    [{ validTo: '9999-12-31T23:59:59-01:00' }, 'body.validTo'],
    [{ sources: [{ document: 'd', version: 0 }] }, 'body.sources.0.version'],
  ] as const) {
    const refused = await assert(given)
    expect(refused, JSON.stringify(given)).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
    expect(refused.body.error.details[0].path).toBe(path)
  }
  const backwards = await assert({ validFrom: '2025-01-01T00:00:00Z', validTo: '2024-12-31T23:00:00Z' })
  expect(backwards.status).toBe(400)
})
