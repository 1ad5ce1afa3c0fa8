import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describePath, type Figures, sumUp } from './tracing/figures.ts'
import { takeUntilSteady } from './tracing/steady.ts'
import { startTracedService } from './tracing/traced-service.ts'
import { prepareTrips, startReceiver, type Trip, trips } from './tracing/trips.ts'

// Prints the path of requests through the code of the service, so that its structure can be judged by figures. It counts
// calls of functions that have a name, in server/src and contracts/src: declared, held by a variable, or members of an
// object or class. A callback without a name belongs to the place where it is written. A return is no move, but the next
// call after it is. A room is a feature or another folder. Most trips end with the answer; a run and a delivery are
// followed to their end. Parallel work is put in the order of what began it, so the figures are the same each time.

const usage = `node bench/trace.ts [part of a trip's name …]
  --tree <folder>   trace the code of another checkout, which has its packages installed
  --path            print the whole way of each trip: a line a stay in a file, then what was called there
  --json            print the figures as JSON

Trips: ${trips.map(({ name }) => name).join(' | ')}`

const options = {
  tree: { type: 'string', default: fileURLToPath(new URL('../', import.meta.url)) },
  path: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const choose = (names: readonly string[]): readonly Trip[] => {
  const unknown = names.filter((name) => !trips.some((trip) => trip.name.includes(name)))
  if (unknown.length > 0) throw new Error(`There is no trip ${unknown.join(', ')}.\n${usage}`)
  return names.length === 0 ? trips : trips.filter((trip) => names.some((name) => trip.name.includes(name)))
}

const columns = ['trip', 'functions', 'files', 'file moves', 'rooms', 'each room entered']

const describe = (name: string, { functions, files, moves, rooms }: Figures): string[] => [
  name,
  ...[functions, files, moves, Object.keys(rooms).length].map(String),
  Object.entries(rooms)
    .map(([room, entered]) => `${room} ${entered}`)
    .join(', '),
]

const printTable = (figures: Record<string, Figures>): void => {
  const rows = [columns, ...Object.entries(figures).map(([name, of]) => describe(name, of))]
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  for (const row of rows)
    say(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return say(usage)
  const chosen = choose(positionals)
  const receiver = await startReceiver()
  const service = await startTracedService(resolve(values.tree))
  const figures: Record<string, Figures> = {}
  try {
    await prepareTrips(service, receiver.url)
    for (const trip of chosen) {
      const calls = await takeUntilSteady(service, trip)
      figures[trip.name] = sumUp(calls)
      if (values.path) say(`${trip.name}\n${describePath(calls)}\n`)
    }
  } finally {
    await service.stop()
    receiver.stop()
  }
  if (values.json) say(JSON.stringify(figures, undefined, 2))
  else printTable(figures)
}

await main()
