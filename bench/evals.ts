import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Memory } from './evals/messages.ts'
import { type Cost, copyRows, readWritten, toCost } from './evals/written.ts'
import { describeMachine } from './parts/machine.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { machineText } from './parts/report.ts'
import { type ScratchDatabase, startScratchPostgres } from './parts/scratch-postgres.ts'
import { percentile } from './parts/statistics.ts'
import { addTenant, type Tenant } from './parts/tenants.ts'

// The memory of a run of an eval with a thousand cases and twenty graders, next to a hundred cases and to an idle node; the rows and bytes
// that a case writes; and how long another tenant waits for a record meanwhile.

const usage = `node bench/evals.ts
  --rounds <n>   runs of each eval (3)`

const options = { rounds: { type: 'string', default: '3' }, help: { type: 'boolean', default: false } } as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const idleMilliseconds = 15_000
/** An honest tenant reads this often. */
const readEveryMilliseconds = 20
/** Reads of a list of runs, and of a page of results. */
const listReads = 100
/** After this time PostgreSQL has reported all rows that a session wrote. */
const reportMilliseconds = 2_000

const graders = Array.from({ length: 20 }, (_, number) => {
  const name = `grader-${number}`
  if (number % 4 === 0) return { type: 'found', name }
  if (number % 4 === 1) return { type: 'regex', name, pattern: `(tide|harbor|noon).{0,${number}}[a-z]+` }
  return number % 4 === 2 ? { type: 'contains', name } : { type: 'not_contains', name, values: ['nothing of this'] }
})

const toCases = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    ...{ id: `case-${number}`, input: `question ${number} about the harbor and its tide` },
    expected: { contains: ['noon', 'midnight'], found: [{ type: 'document', id: `text-${number % 200}` }] },
  }))

type Watched = { noema: Noema; readMemory(collects?: boolean): Promise<Memory> }

const startWatched = async (database: ScratchDatabase): Promise<Watched> => {
  let receive: (message: unknown) => void = () => undefined
  const noema = await startNoema(
    database,
    undefined,
    { NOEMA_EMBEDDINGS: 'off', NOEMA_TRUSTED_ORIGINS: 'http://tenants.example.com' },
    {
      nodeArgs: ['--import', fileURLToPath(new URL('evals/watch-memory.ts', import.meta.url))],
      onMessage: (message) => receive(message),
    },
  )
  const readMemory = (collects = false) =>
    new Promise<Memory>((resolve) => {
      receive = (message) => resolve(message as Memory)
      noema.send({ do: 'memory', collects })
    })
  return { noema, readMemory }
}

/** The times of answered reads in milliseconds, sorted, and how many reads were refused: a busy machine makes a node refuse some. */
type Reads = { times: number[]; refused: number }

/** Reads a record of another tenant at a fixed rate while something is done. */
const readMeanwhile = async (tenant: Tenant, task: () => Promise<unknown>): Promise<Reads> => {
  const times: number[] = []
  let refused = 0
  let isOver = false
  const ended = task().finally(() => {
    isOver = true
  })
  const open: Promise<void>[] = []
  for (let next = performance.now(); !isOver; next += readEveryMilliseconds) {
    await delay(Math.max(0, next - performance.now()))
    const began = performance.now()
    const read = tenant.call('GET', '/v1/brains/other/records/ada').then(
      () => void times.push(performance.now() - began),
      () => void refused++,
    )
    open.push(read)
  }
  await ended
  await Promise.all(open)
  return { times: times.sort((a, b) => a - b), refused }
}

const makeBrain = async (noema: Noema): Promise<void> => {
  await noema.call('PUT', '/v1/brains/graded', {})
  const text = 'The harbor has a high tide at noon. '.repeat(40)
  const operations = Array.from({ length: 200 }, (_, number) => ({
    ...{ op: 'document.put', id: `text-${number}`, title: `Text ${number}`, text: `${number}. ${text}` },
  }))
  await noema.writeBatch('graded', operations)
}

const makeEval = async (noema: Noema, cases: number): Promise<string> => {
  const target = { brain: 'graded', read: 'search', mode: 'lexical' }
  const body = { name: `${cases} cases`, target, cases: toCases(cases), graders }
  return (await noema.call<{ eval: { id: string } }>('POST', '/v1/evals', body)).eval.id
}

type EvalRun = { run: { id: string; state: string; completedAt: string | null; done: number } }

const runEval = async (noema: Noema, id: string): Promise<void> => {
  const { run } = await noema.call<EvalRun>('POST', `/v1/evals/${id}/runs`, {})
  for (;;) {
    const read = (await noema.call<EvalRun>('GET', `/v1/eval-runs/${run.id}`)).run
    if (read.state === 'completed') return
    if (read.completedAt !== null) throw new Error(`the run ended as ${read.state}`)
    await delay(100)
  }
}

const format = (value: number, digits = 0): string => value.toFixed(digits)

type Line = { name: string; memory: Memory; reads: Reads; seconds: number; cost?: Cost; cases?: number }

const toLine = ({ name, memory: { peak, live }, reads: { times, refused }, seconds, cost, cases }: Line): string => {
  const waits = [0.5, 0.99, 1].map((share) => format(percentile(times, share), 1)).join(' / ')
  const written = cost && cases ? `, ${format(cost.bytes / cases)} bytes of log for each case` : ''
  return [
    `${name.padEnd(16)} peak ${format(peak.resident)} MB resident, ${format(peak.heap)} MB heap;`,
    `afterwards ${format(live.resident)} and ${format(live.heap)};`,
    `${format(seconds, 1)} s; GET record p50 / p99 / max ${waits} ms, ${refused} refused${written}`,
  ].join(' ')
}

const measure = async (watched: Watched, database: ScratchDatabase, tenant: Tenant, step: Step): Promise<Line> => {
  const { name, task, cases } = step
  await watched.readMemory()
  // The first change of a page after a checkpoint writes the whole page to the log.
  await database.pool.query('checkpoint')
  const before = await readWritten(database)
  const began = performance.now()
  const meanwhile = await readMeanwhile(tenant, task)
  const seconds = (performance.now() - began) / 1_000
  const memory = await watched.readMemory()
  await delay(reportMilliseconds)
  const cost = cases === undefined ? {} : { cases, cost: await toCost(database, before, await readWritten(database)) }
  const line = { name, memory, reads: meanwhile, seconds, ...cost }
  say(toLine(line))
  return line
}
type Step = { name: string; task: () => Promise<unknown>; cases?: number }

/** The rows of a run by table, and the log that the same rows need in plain SQL. */
const reportRows = async (database: ScratchDatabase, { cost, cases }: Line): Promise<void> => {
  if (!cost || cases === undefined) return
  for (const { name, inserted, updated } of cost.tables)
    say(`  ${name}: ${format(inserted / cases, 2)} inserted and ${format(updated / cases, 2)} updated for each case`)
  const bytes = await copyRows(database, cost.tables)
  say(`  the same rows by plain SQL, each in its transaction: ${format(bytes / cases)} bytes for each case`)
  say(`  ratio ${format(cost.bytes / bytes, 2)}`)
}

/** The most of the heap that is held while something is done: garbage is collected before each sample. */
const reportHeld = async ({ readMemory }: Watched, name: string, task: () => Promise<unknown>): Promise<void> => {
  await readMemory(true)
  await task()
  const { peak } = await readMemory()
  say(`${name.padEnd(16)} holds at most ${format(peak.heap, 1)} MB of heap`)
}

/** The time and the size of reading the runs of an eval and a page of the results of the newest one. */
const reportReading = async (noema: Noema, id: string): Promise<void> => {
  const { runs } = await noema.call<{ runs: { id: string }[] }>('GET', `/v1/evals/${id}/runs?order=desc&limit=50`)
  for (const path of [`/v1/evals/${id}/runs?limit=50`, `/v1/eval-runs/${runs[0]?.id}/cases?limit=50`]) {
    const times: number[] = []
    let bytes = 0
    for (let read = 0; read < listReads; read++) {
      const began = performance.now()
      bytes = JSON.stringify(await noema.call('GET', path)).length
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    const [p50, p99] = [0.5, 0.99].map((share) => format(percentile(times, share), 1))
    say(`GET ${path.replace(/(evl|evr)_\w+/, '…')}: p50 / p99 ${p50} / ${p99} ms, ${format(bytes / 1024)} KiB`)
  }
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options })
  if (values.help) return say(usage)
  const postgres = await startScratchPostgres()
  const database = await postgres.createEmptyDatabase('evals')
  const watched = await startWatched(database)
  const { noema } = watched
  try {
    say(machineText(await describeMachine()))
    const tenant = await addTenant(noema, database, 'other')
    await tenant.call('PUT', '/v1/brains/other', {})
    await tenant.call('PUT', '/v1/brains/other/records/ada', { kind: 'person', fields: { name: 'Ada' } })
    await makeBrain(noema)
    const [few, many] = [await makeEval(noema, 100), await makeEval(noema, 1_000)]
    // The first run compiles what the later ones use.
    await runEval(noema, few)
    for (let round = 0; round < Number(values.rounds); round++) {
      await measure(watched, database, tenant, { name: 'idle', task: () => delay(idleMilliseconds) })
      await measure(watched, database, tenant, { name: '100 cases', task: () => runEval(noema, few), cases: 100 })
      const task = () => runEval(noema, many)
      const line = await measure(watched, database, tenant, { name: '1,000 cases', task, cases: 1_000 })
      if (round === 0) await reportRows(database, line)
    }
    await reportReading(noema, many)
    await reportHeld(watched, 'idle', () => delay(idleMilliseconds))
    await reportHeld(watched, '100 cases', () => runEval(noema, few))
    await reportHeld(watched, '1,000 cases', () => runEval(noema, many))
  } finally {
    await noema.stop()
    await postgres.stop()
  }
}

await main()
