import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import { type ServerProcess, startServer } from '../parts/child.ts'
import type { Comparison } from '../parts/comparison.ts'
import { createPostgresCpu } from '../parts/costs.ts'
import { invoiceBodies } from '../parts/invoices.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { type Answered, createRequests } from '../parts/subject.ts'

const brains = 16
const nodes = 3
const clients = 96
const names = Array.from({ length: brains }, (_, index) => `b${index}`)

type Cluster = {
  name: string
  servers: readonly ServerProcess[]
  paths: string[]
  headers: Record<string, string>
  isDivided?: boolean
}

const createWrites = async (bench: Bench, database: ScratchDatabase, cluster: Cluster): Promise<Answered> => {
  const { name, servers, paths, headers, isDivided = false } = cluster
  const readPostgres = await createPostgresCpu(database)
  const order = {
    ports: servers.map(({ port }) => port),
    clients,
    method: 'POST',
    headers,
    paths,
    bodies: invoiceBodies,
    isDivided,
  }
  const readCpu = () => ({
    ...Object.fromEntries(servers.map((server, at) => [`node ${at + 1}`, server.cpuMilliseconds()])),
    ...{ PostgreSQL: readPostgres(), load: bench.load.cpuMilliseconds() },
  })
  return createRequests(bench, name, { unit: 'writes', order, readCpu })
}

/** So many nodes on one database, with the Brains that are written to. */
const startCluster = async (
  bench: Bench,
  database: ScratchDatabase,
  count: number,
): Promise<Cluster & { servers: Noema[] }> => {
  const servers: Noema[] = []
  for (let started = 0; started < count; started++)
    servers.push(await startNoema(database, bench.profileFolder, { NOEMA_EMBEDDINGS: 'off' }))
  const [first] = servers
  for (const name of names) await first?.call('PUT', `/v1/brains/${name}`, {})
  const paths = names.map((name) => `/v1/brains/${name}/records`)
  return { name: 'Noema', servers, paths, headers: { authorization: `Bearer ${first?.key}` } }
}

const startFloor = async ({ url }: ScratchDatabase, count: number): Promise<Cluster> => {
  const script = 'bench/floors/writes-server.ts'
  const started = Array.from({ length: count }, (_, at) =>
    startServer({ script, args: [url, '256', `${count}-${at}-`] }),
  )
  return { name: 'raw SQL', servers: await Promise.all(started), paths: names.map((name) => `/${name}`), headers: {} }
}

const run = async (bench: Bench): Promise<Comparison[]> => {
  const single = await bench.postgres.createDatabase('nodes_one')
  const shared = await bench.postgres.createDatabase('nodes_three')
  const bare = await bench.postgres.createDatabase('nodes_bare')
  const clusters: Cluster[] = []
  const start = async (starting: Promise<Cluster>) => {
    const cluster = await starting
    clusters.push(cluster)
    return cluster
  }
  try {
    const one = await createWrites(bench, single, await start(startCluster(bench, single, 1)))
    const cluster = await start(startCluster(bench, shared, nodes))
    const three = await createWrites(bench, shared, cluster)
    const divided = await createWrites(bench, shared, { ...cluster, isDivided: true })
    const bareOne = await createWrites(bench, bare, await start(startFloor(bare, 1)))
    const bareThree = await createWrites(bench, bare, await start(startFloor(bare, nodes)))
    const turns = [one, bareOne, three, divided, bareThree].map(({ turn }) => turn)
    await interleave(bench.effort.repetitions, turns)
    const [before, after] = [
      { ...one.perSecond, name: 'one node' },
      { ...bareOne.perSecond, name: 'one process' },
    ]
    return [
      { what: 'one node: writes/s', noema: one.perSecond, floor: bareOne.perSecond, cores: one.cores() },
      { what: `${nodes} nodes: writes/s`, noema: three.perSecond, floor: bareThree.perSecond, cores: three.cores() },
      { what: `${nodes} nodes: p99`, noema: three.p99, floor: bareThree.p99 },
      {
        what: `${nodes} nodes, each Brain by one: writes/s`,
        noema: divided.perSecond,
        floor: bareThree.perSecond,
        cores: divided.cores(),
      },
      { what: `${nodes} nodes, each Brain by one: p99`, noema: divided.p99, floor: bareThree.p99 },
      { what: `${nodes} nodes beside one`, noema: three.perSecond, floor: before },
      {
        what: `${nodes} nodes, each Brain by one, beside one`,
        noema: divided.perSecond,
        floor: before,
        target: { min: 1.5 },
      },
      {
        what: `the floor: ${nodes} processes beside one`,
        noema: bareThree.perSecond,
        floor: after,
        cores: bareThree.cores(),
      },
    ]
  } finally {
    for (const { servers } of clusters) for (const server of servers) await server.stop()
  }
}

export const manyNodes: Benchmark = {
  name: 'nodes',
  about: `Single records written into ${brains} Brains over HTTP by ${clients} clients: by one node, by ${nodes} nodes of one database that all get writes to every Brain, and by ${nodes} behind a proxy that sends each Brain’s requests to one of them. All nodes, PostgreSQL and the clients share this machine: where the cores are spent, more nodes cannot write more.`,
  floor:
    'node:http and pg, as for writes: one process, and three with Brains of their own, so that none waits for another’s lock. The last line holds the floor itself against one process of it: what this machine lets three processes gain.',
  run,
}
