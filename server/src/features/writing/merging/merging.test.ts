import { expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useBrainPerTest, useMember } from '../../../test/harness.ts'
import { exportText, importText } from '../../../test/transfer.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'

const app = useApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

const person = (id: string) => ({ id, kind: 'person' })

/** Two records of one person, and what others say of them. */
const write = async (target: TestBrain = brain) => {
  const operations = [
    { op: 'record.put', id: 'org', kind: 'org' },
    {
      ...{ op: 'record.put', id: 'ann', kind: 'person', fields: { name: 'Ann', city: 'Rome' } },
      links: [
        { predicate: 'knows', to: 'ann2' },
        { predicate: 'in', to: 'org' },
      ],
    },
    {
      ...{ op: 'record.put', id: 'ann2', kind: 'person', slug: 'ann' },
      fields: { name: 'Ann B.', email: 'ann@example.com', tags: { a: null } },
      links: [
        { predicate: 'in', to: 'org' },
        { predicate: 'likes', to: 'org' },
        { predicate: 'knows', to: 'ann' },
      ],
    },
    {
      op: 'record.put',
      id: 'bob',
      kind: 'person',
      links: [
        { predicate: 'knows', to: 'ann2' },
        { predicate: 'knows', to: 'org' },
      ],
    },
    {
      op: 'statement.assert',
      id: 's1',
      subject: person('ann2'),
      predicate: 'born',
      object: { value: 1980 },
      confidence: 0.5,
    },
    {
      op: 'statement.assert',
      id: 's2',
      subject: person('bob'),
      predicate: 'married_to',
      object: { record: person('ann2') },
    },
    {
      op: 'statement.assert',
      id: 's3',
      subject: person('ann'),
      predicate: 'same_as',
      object: { record: person('ann2') },
    },
    { op: 'statement.assert', id: 's4', subject: person('ann'), predicate: 'lives', object: { value: 'Rome' } },
    { op: 'statement.assert', id: 's5', subject: person('ann2'), predicate: 'lives', object: { value: 'Rome' } },
  ]
  const { status, body } = await target.call('POST', '/batch', { operations })
  expect(status, JSON.stringify(body)).toBe(200)
}

const merge = (from: string, body: object, options = {}) => brain.call('POST', `/records/${from}/merge`, body, options)

const read = async (path: string, target: TestBrain = brain) => (await target.call('GET', path)).body.data

/** Everything that the Brain says, without versions and times. */
const readAll = async (target: TestBrain = brain, asOf = '') => {
  const { records } = await read(`/records?limit=500${asOf}`, target)
  const { statements } = await read(`/statements?limit=500${asOf}`, target)
  return {
    records: records.map(({ id, kind, slug, fields, links }: Record<string, unknown>) => ({
      id,
      kind,
      slug,
      fields,
      links,
    })),
    statements: statements
      .map(({ subject, predicate, object, confidence }: Record<string, unknown>) =>
        JSON.stringify({ subject, predicate, object, confidence }),
      )
      .sort(),
  }
}

const says = (subject: string, predicate: string, object: object, confidence: number | null = null) =>
  JSON.stringify({ subject: person(subject), predicate, object, confidence })

const merged = {
  records: [
    {
      ...{ id: 'ann', kind: 'person', slug: 'ann' },
      fields: { name: 'Ann', city: 'Rome', email: 'ann@example.com', tags: { a: null } },
      links: [
        { predicate: 'in', to: 'org' },
        { predicate: 'likes', to: 'org' },
      ],
    },
    {
      id: 'bob',
      kind: 'person',
      slug: null,
      fields: {},
      links: [
        { predicate: 'knows', to: 'ann' },
        { predicate: 'knows', to: 'org' },
      ],
    },
    { id: 'org', kind: 'org', slug: null, fields: {}, links: [] },
  ],
  statements: [
    says('ann', 'born', { value: 1980 }, 0.5),
    says('ann', 'lives', { value: 'Rome' }),
    says('bob', 'married_to', { record: person('ann') }),
  ].sort(),
}

test('KNO-10 a merge moves fields, links and statements by one change, and the old id leads to the record that remains', async () => {
  await write()
  const before = await readAll()
  const done = await merge('ann2', { into: 'ann', reason: 'The same person' })
  expect(done).toMatchObject({
    status: 200,
    body: { data: { outcome: 'landed', record: person('ann'), stateVersion: 2 } },
  })
  expect(await readAll()).toEqual(merged)
  expect(await read('/records/ann2')).toMatchObject({ redirectedFrom: 'ann2', record: { id: 'ann' } })
  expect(await read('/records/ann')).not.toHaveProperty('redirectedFrom')
  expect(await readAll(brain, '&asOf=1')).toEqual(before)
  expect((await read('/records/ann2?asOf=1')).record).toMatchObject({ id: 'ann2', fields: { name: 'Ann B.' } })
  const deleted = await read('/events?types=record.deleted')
  expect(deleted.events).toMatchObject([{ data: { record: person('ann2'), mergedInto: 'ann' } }])
  const { versions } = await read('/records/ann/history')
  expect(
    versions.map(({ record, ended }: { record: { id: string; version: number }; ended: object }) => [
      record.id,
      record.version,
      ended,
    ]),
  ).toMatchObject([
    ['ann', 1, { deleted: false }],
    ['ann2', 1, { deleted: true, mergedInto: 'ann' }],
    ['ann', 2, null],
  ])
  const first = await read('/records/ann/history?limit=2')
  const rest = await read(`/records/ann/history?after=${encodeURIComponent(first.cursor)}`)
  expect([...first.versions, ...rest.versions]).toEqual(versions)
  const backwards = await read('/records/ann/history?order=desc')
  expect(backwards.versions).toEqual([...versions].reverse())
})

test('KNO-10 keep says field by field whose value stays', async () => {
  await write()
  await merge('ann2', { into: 'ann', keep: { name: 'from', tags: 'into', city: 'from' } })
  expect((await read('/records/ann')).record.fields).toEqual({ name: 'Ann B.', email: 'ann@example.com' })
})

test('KNO-11 a revert restores both records with all that they had', async () => {
  await write()
  const before = await readAll()
  const { body } = await merge('ann2', { into: 'ann', keep: { name: 'from' } })
  expect((await brain.call('POST', `/changes/${body.data.change.id}/revert`)).status).toBe(200)
  expect(await readAll()).toEqual(before)
  expect(await read('/records/ann2')).toMatchObject({ record: { id: 'ann2', slug: 'ann' } })
  expect(
    (await read('/records/ann/history')).versions.map(({ record }: { record: { id: string } }) => record.id),
  ).toEqual(['ann', 'ann', 'ann'])
  // They can be merged again.
  expect((await merge('ann2', { into: 'ann' })).status).toBe(200)
  expect(await readAll()).toEqual(merged)
})

test('KNO-11 in review mode a merge waits as one change, shows what it moves, and its revert waits, too', async () => {
  await write()
  const before = await readAll()
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await merge('ann2', { into: 'ann' })
  expect(staged).toMatchObject({ status: 202, body: { data: { record: person('ann'), stateVersion: null } } })
  expect(await readAll()).toEqual(before)
  const { change } = await read(`/changes/${staged.body.data.change.id}`)
  expect(change.items.map(({ op, target }: { op: string; target: { id: string } }) => `${op} ${target.id}`)).toEqual(
    expect.arrayContaining(['record.patch bob', 'record.delete ann2', 'statement.retract s2']),
  )
  const approve = (id: string) => brain.call('POST', `/changes/${id}/decide`, { decision: 'approved' })
  expect((await approve(change.id)).body.data.change.application).toBe('applied')
  expect(await readAll()).toEqual(merged)
  const revert = await brain.call('POST', `/changes/${change.id}/revert`)
  expect(revert.status).toBe(202)
  expect((await approve(revert.body.data.change.id)).body.data.change.application).toBe('applied')
  expect(await readAll()).toEqual(before)
})

test('KNO-12 of merges at once one applies, and the others are refused or repeat it', async () => {
  await write()
  await brain.call('PUT', '/records/cid', { kind: 'person' })
  const answers = await Promise.all([
    merge('ann2', { into: 'ann' }),
    merge('ann2', { into: 'cid' }),
    merge('ann', { into: 'ann2' }),
  ])
  // Two may follow each other: ann into ann2, and that one into cid.
  const landed = answers.filter(({ status }) => status === 200).length
  expect(landed).toBeGreaterThan(0)
  for (const { status } of answers) expect([200, 409]).toContain(status)
  const { records } = await read('/records?kind=person')
  expect(records).toHaveLength(4 - landed)
  for (const id of ['ann', 'ann2', 'cid']) expect(records).toContainEqual((await read(`/records/${id}`)).record)
  const repeated = await merge('ann2', { into: 'ann' })
  expect([200, 409]).toContain(repeated.status)
})

test('KNO-12 chains of merges lead to the last record, and none leads in a circle', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await brain.call('PUT', `/records/${id}`, { kind: 'k', fields: { [id]: 1 } })
  await merge('a', { into: 'b' })
  await merge('b', { into: 'c' })
  const last = await merge('c', { into: 'd' })
  expect(await read('/records/a')).toMatchObject({
    redirectedFrom: 'a',
    record: { id: 'd', fields: { a: 1, b: 1, c: 1, d: 1 } },
  })
  expect((await read('/records/a?asOf=6')).record.id).toBe('c')
  expect((await read('/records/d/history')).versions).toHaveLength(7)
  expect(await merge('d', { into: 'a' })).toMatchObject({ status: 409, body: { error: { code: 'record_merged' } } })
  expect(await merge('a', { into: 'd' })).toMatchObject({ status: 409, body: { error: { code: 'record_merged' } } })
  expect((await merge('d', { into: 'd' })).status).toBe(400)
  await brain.call('POST', `/changes/${last.body.data.change.id}/revert`)
  expect((await read('/records/a')).record.id).toBe('c')
  await brain.call('DELETE', '/records/c')
  expect((await brain.call('GET', '/records/a')).status).toBe(404)
})

test('KNO-12 a write with the old id is refused and names the new one, and a repeat of the merge changes nothing', async () => {
  await write()
  const { body } = await merge('ann2', { into: 'ann' })
  const refused = { status: 409, body: { error: { code: 'record_merged', message: expect.stringContaining('"ann"') } } }
  expect(await brain.call('PUT', '/records/ann2', { kind: 'person' })).toMatchObject(refused)
  expect(await brain.call('PATCH', '/records/ann2', { fields: { a: 1 } })).toMatchObject(refused)
  expect(await merge('bob', { into: 'ann2' })).toMatchObject(refused)
  expect(await merge('ann2', { into: 'bob' })).toMatchObject(refused)
  expect((await merge('ann2', { into: 'ann' })).body.data.change).toEqual(body.data.change)
  // Links and statements that were made with the old id since move by a repeat.
  await brain.call('PATCH', '/records/bob', { links: [{ predicate: 'likes', to: 'ann2' }] })
  await brain.call('POST', '/statements', {
    subject: person('bob'),
    predicate: 'met',
    object: { record: person('ann2') },
  })
  expect((await merge('ann2', { into: 'ann' })).body.data).toMatchObject({ outcome: 'landed', record: person('ann') })
  expect((await read('/records/bob')).record.links).toContainEqual({ predicate: 'likes', to: 'ann' })
  expect((await read('/statements?predicate=met')).statements).toMatchObject([{ object: { record: person('ann') } }])
  expect((await merge('nobody', { into: 'ann' })).status).toBe(404)
  expect(await merge('org', { into: 'ann' })).toMatchObject({ status: 409, body: { error: { code: 'kinds_differ' } } })
})

test('KNO-12 a merge needs read and write, keeps to the schema and its limits, and copies no trust for a key', async () => {
  await write()
  const key = await brain.mintKey(['write'])
  expect((await merge('ann2', { into: 'ann' }, { key })).status).toBe(403)
  await brain.call('POST', '/statements', {
    subject: person('ann2'),
    predicate: 'age',
    object: { value: 3 },
    provenance: { trust: 'trusted' },
  })
  await evolve(brain, { op: 'addKind', kind: 'person', links: [{ predicate: 'in', to: ['org'], many: false }] })
  await brain.call('PUT', '/records/org2', { kind: 'org' })
  await brain.call('PATCH', '/records/ann2', { links: [{ predicate: 'in', to: 'org2' }] })
  expect((await merge('ann2', { into: 'ann' }, { key: await brain.mintKey(['read', 'write']) })).status).toBe(200)
  expect((await read('/records/ann')).record.links).toContainEqual({ predicate: 'in', to: 'org' })
  const { statements } = await read('/statements?subject=ann&predicate=age')
  expect(statements[0].provenance).not.toHaveProperty('trust')
  const many = Array.from({ length: 1_000 }, (_, index) => ({
    ...{ op: 'statement.assert', subject: person('bob'), predicate: `p${index}`, object: { value: index } },
  }))
  await brain.call('POST', '/batch', { operations: many })
  await brain.call('POST', '/statements', { subject: person('bob'), predicate: 'one', object: { value: 1 } })
  expect(await merge('bob', { into: 'ann' })).toMatchObject({
    status: 400,
    body: { error: { code: 'too_much_content' } },
  })
})

test('KNO-12 an export and its import keep where the old id leads', async () => {
  await write()
  await merge('ann2', { into: 'ann' })
  const copy = await addBrain(app, member, `${brain.brain.handle}-copy`)
  expect((await importText(app, copy, await exportText(app, brain))).status).toBe(200)
  expect(await readAll(copy)).toEqual(merged)
  expect(await read('/records/ann2', copy)).toMatchObject({ redirectedFrom: 'ann2', record: { id: 'ann' } })
})
