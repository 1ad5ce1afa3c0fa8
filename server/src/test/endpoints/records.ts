import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { asIs, type EndpointRows, inStream, plain, planted } from './row.ts'

// Records, and the dates in them.

/** Creates a record and returns its id. */
export const newRecord = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/records', { kind: 'sample' })).body.data.record.id

const onRecord = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newRecord(brain) } })

const onVoyager = { params: { id: 'voyager-1' } }

export const recordsRows = {
  'brain.records.get': {
    needs: ['read'],
    call: onRecord,
    aimed: () => [planted, { ...planted, query: { asOf: '3' } }],
    example: onVoyager,
  },
  'brain.records.list': {
    needs: ['read'],
    call: plain,
    aimed: () => [{}, { query: { kind: 'person', slug: 'zqcontent-slug' } }],
    example: { query: '?kind=spacecraft&limit=2' },
  },
  'brain.records.history': { needs: ['read'], call: onRecord, aimed: () => [planted], example: onVoyager },
  'brain.records.neighbours': {
    needs: ['read'],
    call: onRecord,
    aimed: () => [planted, { ...planted, query: { depth: '2', asOf: '3' } }],
    example: { ...onVoyager, query: '?select=name' },
  },
  'brain.dates.list': { needs: ['read'], call: plain, aimed: asIs },
  'brain.records.create': {
    needs: ['write'],
    call: () => ({ body: { kind: 'sample' } }),
    aimed: ({ record }) => [{ body: { kind: 'person' } }, { body: record }],
    example: {
      body: {
        kind: 'spacecraft',
        slug: 'voyager-2',
        fields: { name: 'Voyager 2', launched: '1977-08-20' },
        links: [{ predicate: 'twin_of', to: 'voyager-1' }],
        provenance: { source: 'mission catalogue' },
      },
    },
    unaudited: inStream,
  },
  'brain.records.put': {
    needs: ['write'],
    call: () => ({ params: { id: fresh('record') }, body: { kind: 'sample' } }),
    aimed: ({ record }) => [
      { ...planted, body: record },
      { params: { id: 'elsewhere' }, body: record },
    ],
    example: {
      params: { id: 'new-horizons' },
      body: { kind: 'spacecraft', slug: 'new-horizons', fields: { name: 'New Horizons', launched: '2006-01-19' } },
    },
    unaudited: inStream,
  },
  'brain.records.patch': {
    needs: ['write'],
    call: async (_test, brain) => ({
      params: { id: await newRecord(brain) },
      body: { fields: { name: fresh('name') } },
    }),
    aimed: () => [
      { ...planted, body: {} },
      { ...planted, body: { fields: { added: 1 } } },
      { params: { id: 'retyped' }, body: { kind: 'strict' } },
      { ...planted, body: { kind: 'declared', fields: { choice: 1 } } },
    ],
    example: { ...onVoyager, body: { fields: { status: 'active' } } },
    unaudited: inStream,
  },
  'brain.records.merge': {
    needs: ['read', 'write'],
    call: async (_test, brain) => ({ params: { id: await newRecord(brain) }, body: { into: await newRecord(brain) } }),
    aimed: () => [
      { params: { id: 'twin' }, body: { into: 'planted' } },
      { ...planted, body: { into: 'retyped' } },
      { params: { id: 'elsewhere' }, body: { into: 'nowhere' } },
    ],
    example: async (_test, brain) => {
      await brain.call('PUT', '/records/galileo', { kind: 'spacecraft', fields: { name: 'Galileo' } })
      await brain.call('PUT', '/records/galileo-orbiter', { kind: 'spacecraft', fields: { launched: '1989-10-18' } })
      return { params: { id: 'galileo-orbiter' }, body: { into: 'galileo', reason: 'The same spacecraft' } }
    },
    unaudited: inStream,
  },
  'brain.records.delete': { needs: ['write'], call: onRecord, aimed: () => [planted], unaudited: inStream },
} satisfies EndpointRows
