import { hashToken, newToken } from '../../server/src/features/accounts/keys/token.ts'
import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import type { Comparison } from '../parts/comparison.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { createRequests } from '../parts/subject.ts'

const few = 10
const many = 100_000

/** Fills both tables of keys up with others' keys. */
const addKeys = async (noema: Noema, { pool }: ScratchDatabase, count: number): Promise<void> => {
  const numbers = 'select number from generate_series(1, $1) as number'
  const shared = `sha256(convert_to('key ' || number, 'UTF8')), 'other', 'nsk_0000'`
  await pool.query(
    `insert into management_keys (id, organization_id, hash, name, prefix, created_by, created_at)
     select 'key_other_m_' || number, $2, ${shared}, 'nobody', now() from (${numbers}) as numbers`,
    [count, noema.organizationId],
  )
  await pool.query(
    `insert into brain_keys (brain_id, id, hash, name, prefix, capabilities, created_by, created_at)
     select brain_id, 'key_other_b_' || number, ${shared}, '{read}', 'nobody', now()
     from brains, (${numbers}) as numbers`,
    [count],
  )
  await pool.query('vacuum analyze')
}

/** A Brain key that may read, put into the table as a minted one would be. */
const addBrainKey = async ({ pool }: ScratchDatabase): Promise<string> => {
  const token = newToken('nbk')
  await pool.query(
    `insert into brain_keys (brain_id, id, hash, name, prefix, capabilities, created_by, created_at)
     select brain_id, 'key_bench', $1, 'bench', 'nbk_0000', '{read}', 'nobody', now() from brains`,
    [hashToken(token)],
  )
  return token
}

type Node = { noema: Noema; brainKey: string }

const startWithKeys = async (bench: Bench, name: string, count: number): Promise<Node> => {
  const database = await bench.postgres.createDatabase(name)
  const noema = await startNoema(database)
  await noema.call('PUT', '/v1/brains/keys', {})
  const brainKey = await addBrainKey(database)
  await addKeys(noema, database, count)
  return { noema, brainKey }
}

const path = '/v1/brains/keys'

const subject = (bench: Bench, node: Node, request: { key?: string; clients: number; name: string }) => {
  const { name, key, clients } = request
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const paths = [key === undefined ? '/livez' : path]
  const order = { ports: [node.noema.port], clients, method: 'GET', headers, paths, bodies: [] }
  return createRequests(bench, name, { unit: 'requests', order })
}

const run = async (bench: Bench): Promise<Comparison[]> => {
  const small = await startWithKeys(bench, 'keys_few', few)
  const large = await startWithKeys(bench, 'keys_many', many)
  const named = (node: Node, key: string | undefined, clients: number) =>
    subject(bench, node, {
      clients,
      name: key === undefined ? '/livez' : `${node === small ? few : many} keys`,
      ...(key === undefined ? {} : { key }),
    })
  const management = [named(large, large.noema.key, 1), named(small, small.noema.key, 1)] as const
  const brain = [named(large, large.brainKey, 1), named(small, small.brainKey, 1)] as const
  const busy = [named(large, large.noema.key, 32), named(large, undefined, 32)] as const
  try {
    const turns = [...management, ...brain, ...busy].map(({ turn }) => turn)
    await interleave(bench.effort.repetitions, turns)
  } finally {
    for (const { noema } of [small, large]) await noema.stop()
  }
  const target = { min: 0.9 }
  return [
    { what: '1 client, management key: p50', noema: management[0].p50, floor: management[1].p50, target },
    { what: '1 client, Brain key: p50', noema: brain[0].p50, floor: brain[1].p50, target },
    { what: '32 clients: requests/s', noema: busy[0].perSecond, floor: busy[1].perSecond },
  ]
}

export const keys: Benchmark = {
  name: 'keys',
  about: `A small authenticated request (one Brain) with ${many.toLocaleString('en')} keys in each of the two tables.`,
  floor: `The same request with ${few} keys; the times should be the same within noise. The last line holds it against /livez of the same server, which knows no keys and asks no database.`,
  run,
}
