import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startCitusCluster } from '../dev/citus-cluster.ts'
import { formatReport } from './cluster/report.ts'
import { readServers, toPerWrite, type Works } from './cluster/servers.ts'
import { type Side, sides, startSide } from './cluster/sides.ts'
import { interleave } from './parts/benchmark.ts'
import { findFreePort } from './parts/free-port.ts'
import { invoiceBodies } from './parts/invoices.ts'
import { startLoadClient } from './parts/load.ts'
import { describeMachine } from './parts/machine.ts'
import { machineText } from './parts/report.ts'
import { createScratchFolder } from './parts/scratch-postgres.ts'

// The work of writes on each server of a Citus cluster, and on one server that is not divided: the same load in turns. All Brains of the
// cluster are on one worker, so that the other worker shows the work that a write causes elsewhere.

const usage = `node bench/cluster.ts
  --clients <n>  how many write at the same time (64)
  --brains <n>   how many Brains they write to (64)
  --shards <n>   how many parts a table of the cluster has (32)
  --seconds <n>  how long a turn takes (5)
  --rounds <n>   how often each side has its turn (5)
It starts a coordinator and two workers of this machine's PostgreSQL, which needs Citus.`

const options = {
  clients: { type: 'string', default: '64' },
  brains: { type: 'string', default: '64' },
  shards: { type: 'string', default: '32' },
  seconds: { type: 'string', default: '5' },
  rounds: { type: 'string', default: '5' },
  help: { type: 'boolean', default: false },
} as const

// Commits wait for the disk, as those that are measured elsewhere.
const settings = {
  shared_preload_libraries: 'citus,pg_stat_statements',
  fsync: 'on',
  full_page_writes: 'on',
  wal_compression: 'on',
}

type Numeric = 'clients' | 'brains' | 'shards' | 'seconds' | 'rounds'

const warmUpSeconds = 1

const toNumbers = ({ clients, brains, shards, seconds, rounds }: Record<Numeric, string>) => ({
  ...{ clients: Number(clients), brains: Number(brains), shards: Number(shards) },
  ...{ seconds: Number(seconds), rounds: Number(rounds) },
})

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options })
  if (values.help) return void process.stdout.write(`${usage}\n`)
  const { clients, brains, shards, seconds, rounds } = toNumbers(values)
  const machine = await describeMachine()
  const folder = await createScratchFolder()
  const cluster = await startCitusCluster(folder, { findPort: findFreePort, changed: settings })
  const load = startLoadClient()
  const started: Side[] = []
  try {
    for (const name of sides) started.push(await startSide(name, cluster, { brains, shards }))
    const measured = new Map<Side, Works[]>(started.map((side) => [side, []]))
    const toTurn = (side: Side) => async (counts: boolean) => {
      const { noema, paths, servers } = side
      const headers = { authorization: `Bearer ${noema.key}` }
      const order = { ports: [noema.port], clients, method: 'POST', headers, paths, bodies: invoiceBodies }
      noema.resume()
      await load.run({ ...order, warmUpSeconds: 0, seconds: warmUpSeconds })
      const before = await readServers(servers, noema)
      const { answered } = await load.run({ ...order, warmUpSeconds: 0, seconds })
      const after = await readServers(servers, noema)
      noema.pause()
      if (counts) measured.get(side)?.push(toPerWrite(before, after, answered))
    }
    await interleave(rounds, started.map(toTurn))
    const report = formatReport(new Map([...measured].map(([{ name }, rounds]) => [name, rounds])))
    process.stdout.write(`${machineText(machine)}\n${report}\n`)
  } finally {
    for (const side of started) await side.stop()
    load.stop()
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

await main()
