import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()
const brain = useBrain(app)

const listEvents = async (of: TestBrain) => (await of.call('GET', '/events?limit=500')).body.data.events
const positions = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('EVT-03 of writes that arrive together, those that are refused fail alone and leave no gap', async () => {
  await brain.call('PUT', '/records/held', { kind: 'k', slug: 'held' })
  await brain.call('PUT', '/records/held', { kind: 'k', slug: 'held', fields: { v: 2 } })
  const stale = { headers: { 'if-match': '"1"' } }
  const sent = Array.from({ length: 60 }, (_, n) => {
    switch (n % 6) {
      case 0:
        return { expected: 409, answer: brain.call('PUT', '/records/held', { kind: 'k', fields: { n } }, stale) }
      case 1:
        return { expected: 409, answer: brain.call('POST', '/records', { kind: 'k', slug: 'held' }) }
      case 2: {
        const operations = [
          { op: 'record.put', id: `half-${n}`, kind: 'k', slug: `half-${n}` },
          { op: 'record.delete', id: 'never' },
        ]
        return { expected: 404, answer: brain.call('POST', '/batch', { operations }) }
      }
      case 3:
        return { expected: 404, answer: brain.call('PATCH', `/records/half-${n - 1}`, { fields: { n } }) }
      default:
        return { expected: 201, answer: brain.call('PUT', `/records/good-${n}`, { kind: 'k', slug: `good-${n}` }) }
    }
  })
  for (const { expected, answer } of sent) expect((await answer).status).toBe(expected)
  const events = await listEvents(brain)
  expect(events.map(({ data }: { data: { stateVersion: number } }) => data.stateVersion)).toEqual(positions(22))
  expect((await brain.call('GET', '/records?limit=500')).body.data.records).toHaveLength(21)
})

test('EVT-03 a write that only PostgreSQL refuses fails alone, and its neighbours land', async () => {
  // No value is known that the service accepts and its tables refuse, so this database is made to refuse one.
  await app.database.pool.query(
    `alter table record_versions add constraint refusal check (kind <> 'refused-by-postgres')`,
  )
  const of = await createBrain(app, 'neighbours')
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      of.call('PUT', `/records/r${n}`, { kind: n % 8 === 3 ? 'refused-by-postgres' : 'k' }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, (_, n) => (n % 8 === 3 ? 500 : 201)))
  for (const { body } of answers.filter(({ status }) => status === 500)) {
    expect(body.error.kind).toBe('internal')
    expect(JSON.stringify(body)).not.toMatch(/constraint|refusal|record_versions/)
  }
  const events = await listEvents(of)
  expect(events.map(({ data }: { data: { stateVersion: number } }) => data.stateVersion)).toEqual(positions(35))
  expect((await of.call('GET', '/records?limit=500')).body.data.records).toHaveLength(35)
})

test('EVT-03 writes that arrive together see each other: each patch counts, each version is one higher', async () => {
  const of = await createBrain(app, 'together')
  await of.call('PUT', '/records/shared', { kind: 'k' })
  const patches = await Promise.all(
    Array.from({ length: 40 }, (_, n) => of.call('PATCH', '/records/shared', { fields: { [`f${n}`]: n } })),
  )
  const versions = patches.map(({ body }) => body.data.record.version).sort((one, two) => one - two)
  expect(versions).toEqual(Array.from({ length: 40 }, (_, n) => n + 2))
  const { record } = (await of.call('GET', '/records/shared')).body.data
  expect(Object.keys(record.fields)).toHaveLength(40)
  expect((await of.call('GET', '/records/shared/history?limit=500')).body.data.versions).toHaveLength(41)
})

test('D-06 of writes at once that expect the same version, exactly one lands', async () => {
  const of = await createBrain(app, 'expecting')
  await of.call('PUT', '/records/one', { kind: 'k' })
  await of.call('POST', '/documents', { id: 'one', text: '0' })
  const headers = { 'if-match': '"1"' }
  for (const write of [
    (n: number) => of.call('PATCH', '/records/one', { fields: { n } }, { headers }),
    (n: number) => of.call('POST', '/documents', { id: 'one', text: `${n + 1}` }, { headers }),
  ]) {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => write(n)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)])
  }
})
