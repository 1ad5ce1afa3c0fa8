import { parseArgs } from 'node:util'
import { batch } from './benchmarks/batch.ts'
import { webhookDeliveries } from './benchmarks/deliveries.ts'
import { manyNodes } from './benchmarks/nodes.ts'
import { pages } from './benchmarks/pages.ts'
import { review } from './benchmarks/review.ts'
import { runs } from './benchmarks/runs.ts'
import { search } from './benchmarks/search.ts'
import { start } from './benchmarks/start.ts'
import { tail } from './benchmarks/tail.ts'
import { writes } from './benchmarks/writes.ts'
import { events } from './curves/events.ts'
import { passages } from './curves/passages.ts'
import type { Bench, Benchmark, Curve } from './parts/benchmark.ts'
import type { Machine } from './parts/comparison.ts'
import { startLoadClient } from './parts/load.ts'
import { describeMachine } from './parts/machine.ts'
import { formatTable, type Line, machineText, toLine } from './parts/report.ts'
import { readResult, resultsFolder, saveResult } from './parts/results.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'

// Measures Noema against the least that the same machine needs for the same work, in the same run, and against what one
// could use instead. See README.md.

/** The table: what runs unless something else is named. */
const usual: readonly Benchmark[] = [writes, batch, pages, tail, search, runs, webhookDeliveries, manyNodes]
/** What is measured besides with --full. */
const further: readonly Benchmark[] = [review, start]
const curves: readonly Curve[] = [events, passages]
const all = [...usual, ...further, ...curves]

const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).join(' | ')
const usage = `node bench/run.ts [name …]
  the table (those without a name): ${names(usual)}
  more:                             ${names(further)}
  curves of growth:                 ${names(curves)}

  --full               all of them
  --sizes <n,n,…>      the sizes of curves, in place of their own
  --again              measure the sizes of curves that stand in the results already
  --repetitions <n>    how often each subject has its turn (5)
  --seconds <n>        how long a turn is counted (1.5)
  --warm-up <n>        how long it runs before that (0.5)
  --results <folder>   where the figures are kept as JSON (bench/results)
  --profile <folder>   keep CPU profiles of Noema there; its figures are lower then`

const options = {
  full: { type: 'boolean', default: false },
  sizes: { type: 'string' },
  again: { type: 'boolean', default: false },
  repetitions: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '1.5' },
  'warm-up': { type: 'string', default: '0.5' },
  results: { type: 'string', default: resultsFolder },
  profile: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const note = (text: string): void => void process.stderr.write(`${text}\n`)

const choose = (wanted: readonly string[], isFull: boolean): readonly (Benchmark | Curve)[] => {
  const unknown = wanted.filter((name) => !all.some((one) => one.name === name))
  if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}.\n${usage}`)
  if (wanted.length > 0) return all.filter(({ name }) => wanted.includes(name))
  return isFull ? all : usual
}

type Run = { bench: Bench; machine: Machine; folder: string; sizes: readonly number[] | undefined; isAgain: boolean }

const keep = (
  { bench, machine, folder }: Run,
  { name, about, floor, peer, ...one }: Benchmark | Curve,
  lines: Line[],
) => {
  const { of } = 'of' in one ? one : { of: undefined }
  const measuredAt = new Date().toISOString()
  saveResult(folder, { benchmark: name, about, floor, peer, of, measuredAt, machine, effort: bench.effort, lines })
}

/** Measures each size that has no figures yet, and keeps them at once: an interrupted curve goes on where it was. */
const measureCurve = async (run: Run, curve: Curve): Promise<Line[]> => {
  const sizes = run.sizes ?? curve.sizes
  const known = readResult(run.folder, curve.name)?.lines ?? []
  let lines = run.isAgain ? known.filter(({ size }) => !sizes.includes(size ?? 0)) : known
  for (const size of sizes) {
    if (lines.some((line) => line.size === size)) continue
    note(`measuring ${curve.name} at ${size.toLocaleString('en')} ${curve.of} …`)
    const measured = await curve.runAt(run.bench, size)
    lines = [...lines, ...measured.map((comparison) => toLine(comparison, size))]
    lines.sort((one, other) => (one.size ?? 0) - (other.size ?? 0))
    keep(run, curve, lines)
  }
  return lines
}

const measureOnce = async (run: Run, benchmark: Benchmark): Promise<Line[]> => {
  note(`measuring ${benchmark.name} …`)
  const lines = (await benchmark.run(run.bench)).map((comparison) => toLine(comparison))
  keep(run, benchmark, lines)
  return lines
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return say(usage)
  const chosen = choose(positionals, values.full)
  const [repetitions, seconds, warmUpSeconds] = [values.repetitions, values.seconds, values['warm-up']].map(Number)
  const machine = await describeMachine()
  say(machineText(machine))
  const postgres = await startScratchPostgres({ max_connections: '300' })
  const load = startLoadClient()
  // PostgreSQL runs in a session of its own and would outlive an interrupted run.
  process.once('SIGINT', () => void postgres.stop().finally(() => process.exit(130)))
  const effort = { repetitions: repetitions ?? 5, seconds: seconds ?? 1.5, warmUpSeconds: warmUpSeconds ?? 0.5 }
  const bench: Bench = { postgres, load, effort, profileFolder: values.profile, note }
  const sizes = values.sizes?.split(',').map(Number)
  const run: Run = { bench, machine, folder: values.results, sizes, isAgain: values.again }
  try {
    for (const one of chosen) {
      const lines = 'runAt' in one ? await measureCurve(run, one) : await measureOnce(run, one)
      const peer = one.peer === undefined ? '' : `\nPeer: ${one.peer}`
      say(`\n${one.name}: ${one.about}\nFloor: ${one.floor}${peer}\n${formatTable(lines)}`)
    }
  } finally {
    load.stop()
    await postgres.stop()
  }
}

await main()
