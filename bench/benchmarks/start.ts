import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench, Benchmark } from '../parts/benchmark.ts'
import { type ServerProcess, startNodeFlags, startServer } from '../parts/child.ts'
import type { Comparison, Series } from '../parts/comparison.ts'
import { createScratchFolder } from '../parts/scratch-postgres.ts'

const idleMilliseconds = 10_000
const requests = 100

const seconds = (name: string): Series => ({ name, unit: 's', better: 'less', values: [] })
const megabytes = (name: string): Series => ({ name, unit: 'MB', better: 'less', values: [] })

const serve = (dataDir: string): Promise<ServerProcess> =>
  startServer({
    script: 'server/src/main.ts',
    nodeArgs: startNodeFlags,
    env: { NOEMA_DATA_DIR: dataDir, NOEMA_PORT: '0' },
  })

const sendRequests = async (port: number): Promise<void> => {
  for (let sent = 0; sent < requests; sent++) {
    const response = await fetch(`http://127.0.0.1:${port}/${sent % 2 === 0 ? 'readyz' : 'v1/openapi.json'}`)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`request ${sent} was answered ${response.status}`)
  }
}

type Measured = { first: Series; later: Series; idle: Series; used: Series }

/** One life of a data folder: its first start, and a later one that is watched for a while. */
const measure = async (into: Measured): Promise<void> => {
  const folder = await createScratchFolder()
  const dataDir = join(folder, 'data')
  try {
    const first = await serve(dataDir)
    into.first.values.push(first.startMilliseconds / 1000)
    await first.stop()
    const later = await serve(dataDir)
    into.later.values.push(later.startMilliseconds / 1000)
    await wait(idleMilliseconds)
    into.idle.values.push(later.residentMegabytes() ?? Number.NaN)
    await sendRequests(later.port)
    into.used.values.push(later.residentMegabytes() ?? Number.NaN)
    await later.stop()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const run = async ({ effort }: Bench): Promise<Comparison[]> => {
  const measured = {
    first: seconds('first'),
    later: seconds('later'),
    idle: megabytes('idle'),
    used: megabytes('used'),
  }
  for (let repetition = 0; repetition < effort.repetitions; repetition++) await measure(measured)
  return [
    { what: 'first start, empty data folder', noema: measured.first, target: { max: 10 } },
    { what: 'later start', noema: measured.later, target: { max: 3 } },
    { what: 'memory 10 s after ready', noema: measured.idle, target: { max: 200 } },
    { what: `memory after ${requests} requests more`, noema: measured.used, target: { max: 200 } },
  ]
}

export const start: Benchmark = {
  name: 'start',
  about:
    'From the command to the line that says ready, with the built-in PostgreSQL; resident memory of the Node process.',
  floor: 'None: the targets are bounds. PostgreSQL itself is not in the memory figures.',
  run,
}
