import { type Costs, describeCosts, describeStatements, resetStatements } from '../parts/costs.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { median } from '../parts/statistics.ts'
import { say } from '../webhooks/parts.ts'
import { measureRate } from './agents.ts'

/** Something that completes runs, and what that costs it. */
export type Subject = {
  name: string
  task: () => Promise<void>
  readCosts: () => Promise<Costs>
  database: ScratchDatabase
}

type Rounds = { repetitions: number; seconds: number; atOnce: number; listsStatements: boolean }

type Measured = { subject: Subject; rates: number[]; done: number; spent: string; statements: string[] }

const measure = async (measured: Measured, { seconds, atOnce, listsStatements }: Rounds): Promise<void> => {
  const { subject } = measured
  await resetStatements(subject.database)
  const before = await subject.readCosts()
  const { rate, done } = await measureRate(atOnce, seconds, subject.task)
  measured.rates.push(rate)
  measured.spent = describeCosts(before, await subject.readCosts(), done)
  if (listsStatements) measured.statements = await describeStatements(subject.database, done)
}

/** Takes turns of two subjects; the first round warms up, and what runs cost is told of the last. */
export const compare = async (what: string, ours: Subject, theirs: Subject, rounds: Rounds): Promise<void> => {
  const pair = [ours, theirs].map((subject): Measured => ({ subject, rates: [], done: 0, spent: '', statements: [] }))
  for (let round = 0; round <= rounds.repetitions; round++) for (const one of pair) await measure(one, rounds)
  const [mine = [], others = []] = pair.map(({ rates }) => rates.slice(1))
  const ratio = median(mine.map((rate, round) => rate / (others[round] ?? Number.NaN)))
  say(
    `${what}: ${ours.name} ${median(mine).toFixed(0)} runs/s, ${theirs.name} ${median(others).toFixed(0)} runs/s, ratio ${ratio.toFixed(2)}`,
  )
  for (const { subject, spent, statements } of pair) {
    say(`  a run of ${subject.name}: ${spent}`)
    if (statements.length > 0) say('    calls, ms planned and ms run for a run; statement')
    for (const line of statements) say(`    ${line}`)
  }
}
