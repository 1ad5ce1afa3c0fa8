import { batch } from '@noema/contracts/batch.ts'
import { listEvents } from '@noema/contracts/events.ts'
import { exportBrain } from '@noema/contracts/exports.ts'
import { getRecord, patchRecord } from '@noema/contracts/records.ts'
import { evolveSchema } from '@noema/contracts/schema.ts'
import { searchBrain } from '@noema/contracts/search.ts'
import { beforeAll, expect, test } from 'vitest'
import { createKeyAuthentication } from '../access/authenticate-key.ts'
import type { Principal } from '../access/principal.ts'
import { useApp, useBrain } from '../test/harness.ts'
import { createInvoke, type Invoke } from './invoke.ts'

// A program that calls endpoints by their arguments gets the answers of HTTP, with the paths of its arguments.

const app = useApp()
const brain = useBrain(app)
let invoke: Invoke
let manager: Principal
const toPrincipal = async (key: string): Promise<Principal> => {
  const found = await createKeyAuthentication(app.app.deps).authenticate(key, 'brain')
  if (!found) throw new Error('The key does not work.')
  return found
}
beforeAll(async () => {
  invoke = createInvoke(app.app.deps)
  manager = await toPrincipal(brain.key)
})

test('a call is answered as over HTTP, with its outcome in place of a status', async () => {
  const operations = [{ op: 'record.put', id: 'ada', kind: 'person', fields: { name: 'Ada' } }]
  const written = await invoke(batch, manager, { operations, idempotencyKey: 'once' })
  expect(written).toMatchObject({ outcome: 'done', replayed: false })
  expect(await invoke(batch, manager, { operations, idempotencyKey: 'once' })).toEqual({ ...written, replayed: true })
  const { body } = await brain.call('GET', '/records/ada?asOf=1')
  const read = await invoke(getRecord, manager, { id: 'ada', asOf: 1 })
  expect(JSON.parse('json' in read ? read.json : '')).toEqual(body.data)
  expect(await invoke(patchRecord, manager, { id: 'ada', fields: { born: 1815 }, ifMatch: 1 })).toMatchObject({
    outcome: 'done',
  })
  expect(await invoke(searchBrain, manager, { q: 'ada', types: ['record'], limit: 3 })).toMatchObject({
    data: { results: [{ id: 'ada' }] },
  })
})

test.each([
  ['no argument of the endpoint', getRecord, { id: 'ada', handle: 'other' }, [['handle']]],
  ['a missing one', getRecord, {}, [['id']]],
  ['one of another type', batch, { operations: [{ op: 'record.put', id: 7, kind: 'a' }] }, [['operations', 0, 'id']]],
  ['text that cannot be kept', batch, { operations: [{ op: 'a\0' }] }, [['operations', 0, 'op']]],
  ['a stale version', patchRecord, { id: 'ada', fields: {}, ifMatch: 9 }, [['ifMatch']]],
  ['an operation that is refused', batch, { operations: [{ op: 'record.delete', id: 'none' }] }, [['operations', 0]]],
  [
    'a stale schema',
    evolveSchema,
    { baseVersion: 9, operations: [{ op: 'retireKind', kind: 'a' }] },
    [['baseVersion']],
  ],
])('an error has its path among the arguments: %s', async (_case, endpoint, given, paths) => {
  await expect(invoke(endpoint, manager, given)).rejects.toMatchObject({ details: paths.map((path) => ({ path })) })
})

test('a caller without the right is refused before anything is read of the call', async () => {
  const reader = await toPrincipal(await brain.mintKey(['read']))
  await expect(invoke(batch, reader, { nonsense: true })).rejects.toMatchObject({ kind: 'forbidden' })
  await expect(invoke(getRecord, { kind: 'public' }, {})).rejects.toMatchObject({ kind: 'unauthorized' })
})

test('the live tail is a page, and what only flows over HTTP is not to be called', async () => {
  expect(await invoke(listEvents, manager, { limit: 1 })).toMatchObject({ json: expect.stringContaining('"events":[') })
  await expect(invoke(exportBrain, manager, {})).rejects.toThrow('cannot be called')
})
