import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, startTestApp, type TestApp, type TestBrain } from '../test/app.ts'
import { isCluster } from '../test/cluster.ts'
import { listenToCommands, type RemoteCommand, reportCommands } from './remote-commands.fixture.ts'

// A request about one Brain asks one server, by statements that each go whole to the Brain's own shards. Needs a Citus cluster.

let app: TestApp
let brain: TestBrain
let commands: RemoteCommand[] = []
let stopListening = () => {}

/** Runs a request alone and returns its status and the commands that it caused. */
const observe = async (request: () => Promise<{ status: number }>) => {
  commands = []
  const { status } = await request()
  return { status, commands }
}

/** The numbers of the shards that a Brain's rows are in. */
const listShards = async ({ brain: { id } }: TestBrain): Promise<number[]> => {
  const { rows } = await app.database.pool.query<{ shard: string }>(
    `select get_shard_id_for_distribution_column(logicalrelid, (select brain_id from brain_directory where id = $1)) as shard
     from pg_dist_partition where partmethod = 'h'`,
    [id],
  )
  return rows.map(({ shard }) => Number(shard))
}

/** Describes each way in which commands leave a Brain's shards or need more than one server. */
const listStrays = (found: readonly RemoteCommand[], own: readonly number[]): string[] => {
  const all = listAllStrays(found, own)
  return [
    ...new Set(
      all.map((text) => text.replace(/worker_column_\d+ AS|repartitioned\w+|_\d{6}|"\d+_\d+"/g, '').slice(0, 300)),
    ),
  ]
}

const listAllStrays = (found: readonly RemoteCommand[], own: readonly number[]): string[] => [
  ...found
    .filter(({ shards }) => shards.some((shard) => !own.includes(shard)))
    .map(({ text }) => `another shard: ${text}`),
  ...found.filter(({ text }) => /^COPY "/.test(text)).map(({ text }) => `rows of one statement for another: ${text}`),
  ...found.filter(({ text }) => text.startsWith('PREPARE TRANSACTION')).map(({ text }) => text),
  ...(new Set(found.map(({ server }) => server)).size > 1 ? ['two servers'] : []),
]

beforeAll(async () => {
  if (!isCluster) return
  stopListening = listenToCommands((command) => commands.push(command))
  app = await startTestApp({ NOEMA_ROLES: 'http', NOEMA_DATABASE_WORKER_POOL: '0' }, { prepare: reportCommands })
  brain = await createBrain(app, 'first')
  for (const handle of ['second', 'third', 'fourth']) {
    const other = await addBrain(app, brain, handle)
    await other.call('PUT', '/records/r', { kind: 'note', fields: { text: 'Another Brain.' } })
  }
})
afterAll(async () => {
  stopListening()
  if (isCluster) await app.close()
})

test.skipIf(!isCluster)(
  'the requests that write, read, search and decide ask one server, each statement whole',
  async () => {
    const own = await listShards(brain)
    const key = await brain.mintKey(['read', 'write', 'review'])
    const call = (method: string, below: string, body?: unknown) => () => brain.call(method, below, body, { key })
    const record = { kind: 'note', fields: { text: 'A heron stands in the reeds.' } }
    // The daily caps of an organization count the writes to all of its Brains; a node reads them at most once a second.
    app.clock.hold()
    await call('PUT', '/records/r', record)()
    await brain.call('PATCH', '', { mode: 'review' })
    const staged = await call('POST', '/records', record)()
    await brain.call('PATCH', '', { mode: 'direct' })
    // The first write after a change of the Brain finds it changed, and takes its lock.
    await call('PUT', '/records/r', { ...record, fields: { text: 'A heron.' } })()
    const requests: Record<string, () => Promise<{ status: number }>> = {
      create: call('POST', '/records', record),
      put: call('PUT', '/records/s', record),
      read: call('GET', '/records/r'),
      update: call('PATCH', '/records/r', { fields: { text: 'Two herons.' } }),
      list: call('GET', '/records'),
      events: call('GET', '/events'),
      search: call('GET', '/search?q=heron'),
      commit: call('POST', '/batch', {
        operations: [
          { op: 'record.create', ...record },
          { op: 'document.put', text: 'Reeds', title: 'Reeds' },
        ],
      }),
      decide: call('POST', `/changes/${staged.body.data.change.id}/decide`, { decision: 'approved' }),
    }
    // One call for the whole commit.
    const commits = ['create', 'put', 'update', 'commit']
    const found: Record<string, string[]> = {}
    for (const [name, request] of Object.entries(requests)) {
      const { status, commands: sent } = await observe(request)
      const isSeen = sent.some(({ shards }) => shards.length > 0)
      const calls = sent.filter(({ text }) => text.includes('noema_commit_')).length
      const transactions = sent.filter(({ text }) => text.startsWith('BEGIN')).length
      found[name] = [
        ...(status < 300 ? [] : [`status ${status}`]),
        ...(isSeen ? [] : ['nothing']),
        ...(commits.includes(name) && (calls !== 1 || transactions !== 0) ? ['a commit of several statements'] : []),
        ...listStrays(sent, own),
      ]
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(requests).map((name) => [name, []])))
  },
)
