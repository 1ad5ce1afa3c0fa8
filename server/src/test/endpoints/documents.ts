import type { TestApp, TestBrain } from '../app.ts'
import type { Planted } from '../secrets/plant.ts'
import { fresh } from './fresh.ts'
import { asIs, type EndpointRows, inStream, plain, planted } from './row.ts'

// Documents, snapshots of sources, and batches.

const newDocument = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/documents', { text: fresh('text') })).body.data.document.id

const onDocument = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newDocument(brain) } })

const onSnapshot = async (_test: TestApp, brain: TestBrain) => {
  const items = [{ id: fresh('item'), text: fresh('text') }]
  const planned = await brain.call('POST', '/sources/sample/snapshots', { items, complete: false })
  return { params: { source: 'sample', snapshot: planned.body.data.snapshot.snapshot } }
}

const onOverview = { params: { id: 'voyager-overview' } }

const item = { id: 'planned', text: 'zqcontent-snapshot', title: 'zqcontent-plan' }

const operationsOn = ({ record, statement, document }: Planted) => [
  { op: 'record.put', id: 'planted', ...record },
  { op: 'record.patch', id: 'planted' },
  { op: 'statement.assert', ...statement },
  { op: 'document.put', ...document },
]

export const documentsRows = {
  'brain.documents.get': { needs: ['read'], call: onDocument, aimed: () => [planted], example: onOverview },
  'brain.documents.list': { needs: ['read'], call: plain, aimed: asIs },
  'brain.documents.versions': { needs: ['read'], call: onDocument, aimed: () => [planted], example: onOverview },
  'brain.snapshots.get': {
    needs: ['read'],
    call: onSnapshot,
    aimed: ({ snapshot }) => [{ params: { source: 'sample', snapshot } }],
  },
  'brain.snapshots.list': {
    needs: ['read'],
    call: () => ({ params: { source: 'sample' } }),
    aimed: () => [{ params: { source: 'sample' } }],
  },
  'brain.documents.put': {
    needs: ['write'],
    call: () => ({ body: { text: fresh('text') } }),
    aimed: ({ document }) => [
      { body: document },
      { body: { id: 'planted', text: 'What is planted: zqcontent-text.' } },
      { body: { id: 'planted', text: 'Another text' } },
    ],
    example: {
      body: { title: 'New Horizons', text: 'New Horizons flew past Pluto on 14 July 2015.', contentType: 'text/plain' },
    },
    unaudited: inStream,
  },
  'brain.batch': {
    needs: ['write'],
    call: () => ({ body: { operations: [{ op: 'record.create', kind: 'sample' }] } }),
    aimed: (made) => [{ body: { operations: operationsOn(made) } }],
    example: {
      body: {
        operations: [
          { op: 'record.create', ref: 'planet', kind: 'planet', slug: 'pluto', fields: { name: 'Pluto' } },
          {
            op: 'statement.assert',
            subject: { id: '$ref:planet', kind: 'planet' },
            predicate: 'visited_by',
            object: { value: 'New Horizons' },
          },
        ],
      },
    },
    unaudited: inStream,
  },
  'brain.snapshots.plan': {
    needs: ['write'],
    call: () => ({
      params: { source: 'sample' },
      body: { items: [{ id: fresh('item'), text: fresh('text') }], complete: false },
    }),
    aimed: () => [
      { params: { source: 'sample' }, body: { items: [item], complete: true } },
      { params: { source: 'sample' }, body: { items: [{ ...item, id: 'planted' }], complete: false } },
    ],
    example: {
      params: { source: 'mission-pages' },
      body: {
        items: [{ id: 'cassini', title: 'Cassini', text: 'Cassini orbited Saturn until 2017.' }],
        complete: true,
      },
    },
    unaudited: inStream,
  },
  'brain.snapshots.apply': {
    needs: ['write'],
    call: async (test, brain) => ({ ...(await onSnapshot(test, brain)), body: { planRevision: 1 } }),
    aimed: ({ snapshot }) => [{ params: { source: 'sample', snapshot }, body: { planRevision: 1 } }],
    unaudited: inStream,
  },
  'brain.documents.retire': { needs: ['write'], call: onDocument, aimed: () => [planted], unaudited: inStream },
} satisfies EndpointRows
