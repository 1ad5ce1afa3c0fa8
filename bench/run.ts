import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { batch } from './benchmarks/batch.ts'
import { filters } from './benchmarks/filters.ts'
import { pages } from './benchmarks/pages.ts'
import { search } from './benchmarks/search.ts'
import { tail } from './benchmarks/tail.ts'
import { writes } from './benchmarks/writes.ts'
import type { Bench, Benchmark } from './parts/benchmark.ts'
import { startLoadClient } from './parts/load.ts'
import { describeMachine } from './parts/machine.ts'
import { keepEmbedding, type Result, toMarkdown } from './parts/markdown.ts'
import { formatTable, machineText, toLine } from './parts/report.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'

// Compares Noema with the minimum that the same machine needs for the same work, in the same run, and with alternatives.
// See README.md.

const all: readonly Benchmark[] = [writes, batch, pages, tail, search, filters]

const usage = `node bench/run.ts [name …]
  names: ${all.map(({ name }) => name).join(' | ')}

  --repetitions <n>    how often each subject has its turn (5)
  --seconds <n>        how long a turn is counted (1.5)
  --warm-up <n>        how long it runs before that (0.5)
  --docs               also write docs/benchmarks.md; needs all benchmarks
  --profile <folder>   keep CPU profiles of Noema there; its figures are lower then`

const options = {
  repetitions: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '1.5' },
  'warm-up': { type: 'string', default: '0.5' },
  docs: { type: 'boolean', default: false },
  profile: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const note = (text: string): void => void process.stderr.write(`${text}\n`)

const choose = (requested: readonly string[]): readonly Benchmark[] => {
  const unknown = requested.filter((name) => !all.some((one) => one.name === name))
  if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}.\n${usage}`)
  return requested.length > 0 ? all.filter(({ name }) => requested.includes(name)) : all
}

const measure = async (bench: Bench, { run, ...about }: Benchmark): Promise<Result> => {
  note(`measuring ${about.name} …`)
  const lines = (await run(bench)).map(toLine)
  const peer = about.peer === undefined ? '' : `\nPeer: ${about.peer}`
  say(`\n${about.name}: ${about.about}\nFloor: ${about.floor}${peer}\n${formatTable(lines)}`)
  return { ...about, lines }
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return say(usage)
  if (values.docs && positionals.length > 0) throw new Error('--docs needs all benchmarks: name none.')
  const chosen = choose(positionals)
  const [repetitions, seconds, warmUpSeconds] = [values.repetitions, values.seconds, values['warm-up']].map(Number)
  const machine = await describeMachine()
  say(machineText(machine))
  const postgres = await startScratchPostgres({ max_connections: '300' })
  const load = startLoadClient()
  // PostgreSQL runs in a session of its own and would outlive an interrupted run.
  process.once('SIGINT', () => void postgres.stop().finally(() => process.exit(130)))
  const effort = { repetitions: repetitions ?? 5, seconds: seconds ?? 1.5, warmUpSeconds: warmUpSeconds ?? 0.5 }
  const bench: Bench = { postgres, load, effort, profileFolder: values.profile, note }
  const results: Result[] = []
  try {
    for (const one of chosen) results.push(await measure(bench, one))
  } finally {
    load.stop()
    await postgres.stop()
  }
  if (!values.docs) return
  const page = new URL('../docs/benchmarks.md', import.meta.url)
  const markdown = toMarkdown(results, { measuredAt: new Date(), machine, effort })
  writeFileSync(page, keepEmbedding(markdown, readFileSync(page, 'utf8')))
}

await main()
