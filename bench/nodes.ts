import { parseArgs } from 'node:util'
import { alignColumns } from './parts/align.ts'
import { interleave } from './parts/benchmark.ts'
import { createPostgresCpu } from './parts/costs.ts'
import { findFreePort } from './parts/free-port.ts'
import { invoiceBodies } from './parts/invoices.ts'
import { type LoadClient, startLoadClient } from './parts/load.ts'
import { describeMachine } from './parts/machine.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { machineText } from './parts/report.ts'
import { type ScratchPostgres, startScratchPostgres } from './parts/scratch-postgres.ts'
import { median } from './parts/statistics.ts'

// Writes to the same Brains through several nodes, compared with one node: how many writes a second of processor time makes. One server has all
// databases; the nodes, PostgreSQL and the clients share this machine.

const usage = `node bench/nodes.ts
  --clients <n>  how many write at the same time (96)
  --brains <n>   how many Brains they write to (16)
  --nodes <n>    how many nodes there are (3)
  --seconds <n>  how long a turn takes (4)
  --rounds <n>   how often each side has its turn (5)
It compares one node, nodes that each write to every Brain, nodes that send writes to the node of their Brain (NOEMA_NODE_ADDRESS), and
nodes behind a proxy that chooses the node by the Brain.`

const options = {
  clients: { type: 'string', default: '96' },
  brains: { type: 'string', default: '16' },
  nodes: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '4' },
  rounds: { type: 'string', default: '5' },
  help: { type: 'boolean', default: false },
} as const

const warmUpSeconds = 1
const goal = 0.85

const sides = [
  { name: 'one node', isOne: true },
  { name: 'any node', isOne: false },
  { name: 'any node, forwarded', isOne: false, forwards: true },
  { name: 'by a proxy', isOne: false, isDivided: true },
] as const satisfies { name: string; isOne: boolean; forwards?: boolean; isDivided?: boolean }[]
type SideOptions = (typeof sides)[number]

/** Of one turn: writes a second, of all processor time and by the clock, milliseconds, and microseconds for one write. */
type Figures = { perCpuSecond: number; perSecond: number; p99: number; nodes: number; postgres: number }

type Side = { name: string; servers: Noema[]; measure(load: LoadClient, seconds: number): Promise<Figures> }

const startSide = async (
  postgres: ScratchPostgres,
  side: SideOptions,
  { clients, brains, nodes }: { clients: number; brains: number; nodes: number },
): Promise<Side> => {
  const database = await postgres.createEmptyDatabase(`nodes_${side.name.replaceAll(/\W/g, '_')}`)
  const servers: Noema[] = []
  for (let at = 0; at < (side.isOne ? 1 : nodes); at++) {
    const forwarding = 'forwards' in side ? { NOEMA_NODE_ADDRESS: `127.0.0.1:${await findFreePort()}` } : {}
    const settings = { NOEMA_EMBEDDINGS: 'off', NOEMA_ROLES: 'http', NOEMA_MAX_WAIT: '60000' }
    servers.push(await startNoema(database, undefined, { ...settings, ...forwarding }))
  }
  const names = Array.from({ length: brains }, (_, at) => `b${at}`)
  for (const name of names) await servers[0]?.call('PUT', `/v1/brains/${name}`, {})
  const readPostgres = await createPostgresCpu(database)
  const readNodes = () => servers.reduce((sum, server) => sum + (server.cpuMilliseconds() ?? 0), 0)
  const order = {
    ...{ ports: servers.map(({ port }) => port), clients, method: 'POST', bodies: invoiceBodies },
    headers: { authorization: `Bearer ${servers[0]?.key}` },
    paths: names.map((name) => `/v1/brains/${name}/records`),
    isDivided: 'isDivided' in side,
  }
  return {
    ...{ name: side.name, servers },
    measure: async (load, seconds) => {
      await load.run({ ...order, warmUpSeconds: 0, seconds: warmUpSeconds })
      const before = { nodes: readNodes(), postgres: readPostgres() }
      const { answered, perSecond, p99 } = await load.run({ ...order, warmUpSeconds: 0, seconds })
      const [ofNodes, ofPostgres] = [readNodes() - before.nodes, readPostgres() - before.postgres]
      return {
        perCpuSecond: (1_000 * answered) / (ofNodes + ofPostgres),
        ...{ perSecond, p99, nodes: (1_000 * ofNodes) / answered, postgres: (1_000 * ofPostgres) / answered },
      }
    },
  }
}

const columns: readonly { head: string; toValue: (figures: Figures) => number }[] = [
  { head: 'writes per CPU second', toValue: ({ perCpuSecond }) => perCpuSecond },
  { head: 'writes/s', toValue: ({ perSecond }) => perSecond },
  { head: 'p99, ms', toValue: ({ p99 }) => p99 },
  { head: 'CPU of nodes, µs', toValue: ({ nodes }) => nodes },
  { head: 'CPU of PostgreSQL, µs', toValue: ({ postgres }) => postgres },
]

const toFigure = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })

/** The medians of each side, and the ratios to one node in the same round. */
const formatReport = (measured: ReadonlyMap<string, readonly Figures[]>): string => {
  const alone = measured.get(sides[0].name) ?? []
  const rows = [...measured].map(([name, rounds]) => {
    const ratio = median(rounds.map(({ perCpuSecond }, at) => perCpuSecond / (alone[at]?.perCpuSecond ?? 1)))
    return { name, ratio, cells: columns.map(({ toValue }) => toFigure(median(rounds.map(toValue)))) }
  })
  const table = alignColumns([
    ['', ...columns.map(({ head }) => head), 'of one node'],
    ...rows.map(({ name, ratio, cells }) => [name, ...cells, ratio.toFixed(2)]),
  ])
  const forwarded = rows.find(({ name }) => name === sides[2].name)?.ratio ?? 0
  return `${table}\n${sides[2].name}: ${forwarded.toFixed(2)} (≥ ${goal} ${forwarded >= goal ? 'met' : 'MISSED'})`
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options })
  if (values.help) return void process.stdout.write(`${usage}\n`)
  const counts = { clients: Number(values.clients), brains: Number(values.brains), nodes: Number(values.nodes) }
  const machine = await describeMachine()
  const postgres = await startScratchPostgres({ max_connections: '300' })
  const load = startLoadClient()
  const started: Side[] = []
  try {
    for (const side of sides) started.push(await startSide(postgres, side, counts))
    const measured = new Map<string, Figures[]>(started.map(({ name }) => [name, []]))
    const toTurn = (side: Side) => async (isCounted: boolean) => {
      const figures = await side.measure(load, Number(values.seconds))
      if (isCounted) measured.get(side.name)?.push(figures)
    }
    await interleave(Number(values.rounds), started.map(toTurn))
    process.stdout.write(`${machineText(machine)}\n${formatReport(measured)}\n`)
  } finally {
    for (const { servers } of started) for (const server of servers) await server.stop()
    load.stop()
    await postgres.stop()
  }
}

await main()
