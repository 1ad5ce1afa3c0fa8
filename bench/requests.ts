import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { interleave } from './parts/benchmark.ts'
import { thisTree } from './parts/child.ts'
import { startLoadClient } from './parts/load.ts'
import { describeMachine } from './parts/machine.ts'
import { machineText } from './parts/report.ts'
import { type ScratchPostgres, startScratchPostgres } from './parts/scratch-postgres.ts'
import { type Case, cases, type Filled } from './requests/cases.ts'
import { createIdle, idleCase } from './requests/idle.ts'
import { listPages, makeQuestions, startPlainNode, startSearchNode, type Tree } from './requests/nodes.ts'
import { type Bench, createFloor, createNoema, type Nodes, startFloors } from './requests/subjects.ts'
import { formatLines, type Line, type Sides, toLines } from './requests/table.ts'

// The CPU that a request costs the service and PostgreSQL, and its latency and rate, next to a bare floor that does the
// same work on the same PostgreSQL. Noema and the floor alternate, and ratios are medians of the rounds' ratios.

const names = [...cases, idleCase].map(({ name }) => name)
const usage = `node bench/requests.ts [part of a name …]
  names: ${names.join(' | ')}

  --tree <folder>   also measure another checkout, which has its packages installed, in the same rounds
  --quick           fewer and shorter rounds: a table in a minute, less exact
  --rounds <n>      how often each side has its turn (5)
  --json            print the figures as JSON`

const options = {
  tree: { type: 'string' },
  quick: { type: 'boolean', default: false },
  rounds: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const note = (text: string): void => void process.stderr.write(`${text}\n`)

type Chosen = { cases: readonly Case[]; hasIdle: boolean }

const choose = (parts: readonly string[]): Chosen => {
  const unknown = parts.filter((part) => !names.some((name) => name.includes(part)))
  if (unknown.length > 0) throw new Error(`There is no case ${unknown.join(', ')}.\n${usage}`)
  const isChosen = ({ name }: { name: string }) => parts.length === 0 || parts.some((part) => name.includes(part))
  return { cases: cases.filter(isChosen), hasIdle: isChosen(idleCase) }
}

const startNodes = async (postgres: ScratchPostgres, tree: Tree, chosen: Chosen): Promise<Nodes> => {
  const needsSearch = chosen.hasIdle || chosen.cases.some(({ isSearch }) => isSearch)
  const plain = await startPlainNode(postgres, tree)
  return { plain, search: needsSearch ? await startSearchNode(postgres, tree) : undefined }
}

const listServers = ({ plain, search }: Nodes) => [plain.noema, ...(search ? [search.noema] : [])]

const toFilled = async (nodes: Nodes, questions: Filled['questions']): Promise<Filled> => ({
  questions,
  pages: await listPages(nodes.plain),
})

type Run = { bench: Bench; chosen: Chosen; idleSeconds: number; here: Nodes; there: Nodes | undefined }
type Measured = { one: Pick<Case, 'name' | 'goals'>; sides: Sides }

/** Measures cases in turn, round by round. The first round warms all of their code, and is not counted. */
const measureTogether = async ({ bench }: Run, measured: readonly Measured[]): Promise<Line[]> => {
  if (measured.length > 0) note(`measuring ${measured.map(({ one }) => one.name).join(', ')} …`)
  const sides = measured.flatMap(({ sides: { noema, floor, other } }) => [noema, floor, other])
  await interleave(
    bench.effort.repetitions,
    sides.flatMap((side) => (side ? [side.turn] : [])),
  )
  return measured.flatMap(({ one, sides: of }) => toLines(one, of))
}

const toIdle = async (run: Run): Promise<Measured[]> => {
  const [here, there] = [run.here.search, run.there?.search]
  if (!here || !run.chosen.hasIdle) return []
  const noema = await createIdle(here, run.idleSeconds)
  return [{ one: idleCase, sides: { noema, other: there && (await createIdle(there, run.idleSeconds)) } }]
}

/** Reads and searches are measured together. Writes leave work behind, so each case of them is measured by itself. */
const toGroups = (measured: readonly Measured[], of: readonly Case[]): Measured[][] => {
  const named = (chosen: readonly Case[]) => measured.filter(({ one }) => chosen.some(({ name }) => name === one.name))
  const isRead = ({ floor }: Case) => floor === 'reads'
  const isSearch = ({ floor }: Case) => floor === 'search'
  const writes = of.filter((one) => !isRead(one) && !isSearch(one))
  return [named(of.filter(isRead)), named(of.filter(isSearch)), ...writes.map((one) => named([one]))]
}

const measureAll = async (run: Run): Promise<Line[]> => {
  const { bench, chosen, here, there } = run
  const questions = here.search ? await makeQuestions() : []
  const filled = await toFilled(here, questions)
  const otherFilled = there && (await toFilled(there, questions))
  const floors = await startFloors(bench, here)
  const servers = [floors.reads, floors.writes, ...(floors.search ? [floors.search] : [])]
  for (const server of [...servers, ...listServers(here), ...(there ? listServers(there) : [])]) server.pause()
  const measured: Measured[] = []
  for (const one of chosen.cases) {
    const noema = await createNoema(bench, one, here, filled)
    const floor = await createFloor(bench, one, floors, { key: here.plain.noema.key, filled })
    const other = there && otherFilled && (await createNoema(bench, one, there, otherFilled))
    measured.push({ one, sides: { noema, floor, other } })
  }
  const lines = await measureTogether(run, await toIdle(run))
  for (const group of toGroups(measured, chosen.cases)) lines.push(...(await measureTogether(run, group)))
  for (const server of servers) await server.stop()
  return lines
}

const maxTurnSeconds = 4

/** A quick run has fewer rounds of fewer requests: for a look while one works. */
const toEffort = ({ quick, rounds }: { quick: boolean; rounds?: string | undefined }) => ({
  share: quick ? 0.4 : 1,
  effort: { repetitions: Number(rounds ?? (quick ? 3 : 5)), seconds: maxTurnSeconds, warmUpSeconds: 0 },
})

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return say(usage)
  const chosen = choose(positionals)
  say(machineText(await describeMachine()))
  const postgres = await startScratchPostgres({ max_connections: '300' })
  const load = startLoadClient()
  // PostgreSQL runs in a session of its own and would outlive an interrupted run.
  process.once('SIGINT', () => void postgres.stop().finally(() => process.exit(130)))
  const bench: Bench = { postgres, load, ...toEffort(values), profileFolder: undefined, note }
  const started: Nodes[] = []
  const start = async (name: string, folder: string) => {
    const nodes = await startNodes(postgres, { name, folder }, chosen)
    started.push(nodes)
    return nodes
  }
  try {
    const here = await start('here', thisTree)
    const there = values.tree === undefined ? undefined : await start('there', resolve(values.tree))
    const lines = await measureAll({ bench, chosen, idleSeconds: values.quick ? 2 : 6, here, there })
    say(values.json ? JSON.stringify(lines, undefined, 2) : formatLines(lines))
  } finally {
    for (const server of started.flatMap(listServers)) await server.stop()
    load.stop()
    await postgres.stop()
  }
}

await main()
