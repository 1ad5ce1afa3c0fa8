import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { asIs, type EndpointRows, inStream, plain } from './row.ts'

// Schemas of Brains and of the organization.

const newSchema = async (test: TestApp, { key }: TestBrain): Promise<string> =>
  (await test.request('PUT', `/v1/schemas/${fresh('schema')}`, { key, body: { kinds: [] } })).body.data.schema.name

const readSchemaVersion = async (brain: TestBrain): Promise<number> =>
  (await brain.call('GET', '')).body.data.brain.schemaVersion

const newKind = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/records', { kind: fresh('emerging') })).body.data.record.kind

export const schemasRows = {
  'schemas.list': { needs: 'management', call: plain, aimed: asIs },
  'schemas.get': {
    needs: 'management',
    call: async (test, brain) => ({ params: { name: await newSchema(test, brain) } }),
    aimed: () => [{ params: { name: 'planted' } }],
  },
  'brain.schema.get': { needs: ['read'], call: plain, aimed: asIs },
  'brain.schema.emerged': { needs: ['read'], call: plain, aimed: asIs },
  'brain.schema.lineage': { needs: 'management', call: plain, aimed: asIs },
  'brain.schema.evolve': {
    needs: ['admin'],
    call: async (_test, brain) => ({
      body: { baseVersion: await readSchemaVersion(brain), operations: [{ op: 'addKind', kind: fresh('Kind') }] },
    }),
    aimed: () => [
      { body: { baseVersion: 1, operations: [{ op: 'addKind', kind: 'person', strict: true }] } },
      { body: { baseVersion: 1, operations: [{ op: 'setStrict', kind: 'declared', strict: true }] } },
      { body: { baseVersion: 1, operations: [{ op: 'addKind', kind: 'declared' }] } },
      { body: { baseVersion: 7, operations: [{ op: 'addKind', kind: 'person' }] } },
    ],
    unaudited: inStream,
  },
  'brain.schema.promote': {
    needs: ['admin'],
    call: async (_test, brain) => ({ body: { emerged: [await newKind(brain)] } }),
    aimed: () => [{ body: { emerged: ['person'] } }],
    unaudited: inStream,
  },
  'schemas.put': {
    needs: 'management',
    call: () => ({ params: { name: fresh('schema') }, body: { kinds: [] } }),
    aimed: () => [{ params: { name: 'planted' }, body: { kinds: [] } }],
    example: {
      params: { name: 'missions' },
      body: { kinds: [{ kind: 'spacecraft', fields: [{ name: 'launched', type: 'date', indexed: true }] }] },
    },
  },
} satisfies EndpointRows
