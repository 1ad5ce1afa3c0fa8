import { parseArgs } from 'node:util'
import { batch } from './benchmarks/batch.ts'
import { embedding } from './benchmarks/embedding.ts'
import { keys } from './benchmarks/keys.ts'
import { pages } from './benchmarks/pages.ts'
import { review } from './benchmarks/review.ts'
import { start } from './benchmarks/start.ts'
import { states } from './benchmarks/states.ts'
import { writes } from './benchmarks/writes.ts'
import type { Bench, Benchmark } from './parts/benchmark.ts'
import { startLoadClient } from './parts/load.ts'
import { describeMachine } from './parts/machine.ts'
import { formatTable, type Line, machineText, toLine } from './parts/report.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { emmett } from './peers/emmett.ts'

// Measures Noema against the least that the same machine needs for the same work, in the same run. See README.md.

const benchmarks: readonly Benchmark[] = [writes, pages, batch, review, states, keys, start, embedding]

const usage = `node bench/run.ts [${benchmarks.map(({ name }) => name).join(' | ')} …]
  --json               print the figures as JSON
  --repetitions <n>    how often each subject has its turn (5)
  --seconds <n>        how long a turn is counted (3)
  --warm-up <n>        how long it runs before that (1)
  --profile <folder>   keep CPU profiles of Noema there; its figures are lower then
  --peer <folder>      instead measure against the peer that is installed there (see README.md)`

const options = {
  json: { type: 'boolean', default: false },
  repetitions: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '3' },
  'warm-up': { type: 'string', default: '1' },
  profile: { type: 'string' },
  peer: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const note = (text: string): void => void process.stderr.write(`${text}\n`)

const chosen = (names: readonly string[], peer: string | undefined): readonly Benchmark[] => {
  if (peer !== undefined && names.length === 0) return [emmett(peer)]
  const unknown = names.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name))
  if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}.\n${usage}`)
  return names.length === 0 ? benchmarks : benchmarks.filter(({ name }) => names.includes(name))
}

const measure = async (benchmark: Benchmark, bench: Bench): Promise<Line[]> => {
  note(`measuring ${benchmark.name} …`)
  const comparisons = await benchmark.run(bench)
  return comparisons.map((comparison) => toLine(benchmark.name, comparison))
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return say(usage)
  const subjects = chosen(positionals, values.peer)
  const effort = {
    repetitions: Number(values.repetitions),
    seconds: Number(values.seconds),
    warmUpSeconds: Number(values['warm-up']),
  }
  const machine = await describeMachine()
  if (!values.json) say(machineText(machine))
  const postgres = await startScratchPostgres()
  const load = startLoadClient()
  // PostgreSQL runs in a session of its own and would outlive an interrupted run.
  process.once('SIGINT', () => void postgres.stop().finally(() => process.exit(130)))
  const lines: Line[] = []
  try {
    for (const benchmark of subjects) {
      const measured = await measure(benchmark, { postgres, load, effort, profileFolder: values.profile, note })
      lines.push(...measured)
      if (!values.json)
        say(`\n${benchmark.name}: ${benchmark.about}\nFloor: ${benchmark.floor}\n${formatTable(measured)}`)
    }
  } finally {
    load.stop()
    await postgres.stop()
  }
  if (values.json) say(JSON.stringify({ machine, effort, lines }, undefined, 2))
}

await main()
