import type { LoadClient } from './load.ts'
import type { ScratchPostgres } from './scratch-postgres.ts'

/** How long and how often to measure. */
type Effort = { repetitions: number; seconds: number; warmUpSeconds: number }

/** What a benchmark measures with. */
export type Bench = {
  postgres: ScratchPostgres
  load: LoadClient
  effort: Effort
  /** Where Noema's CPU profiles go, when they are asked for. */
  profileFolder: string | undefined
  note(text: string): void
}

/** One thing that was measured, once in each repetition. */
export type Series = { name: string; unit: string; better: 'more' | 'less'; values: number[] }

/** A bound on the ratio where there is a floor, else on the value itself. */
export type Target = { min: number } | { max: number } | undefined

/** Noema's figures beside those of what it is held against. */
export type Comparison = { what: string; noema: Series; floor?: Series; target?: Target }

/** A benchmark: what it is about, what its floor does and leaves out, and how it is run. */
export type Benchmark = {
  name: string
  about: string
  floor: string
  run(bench: Bench): Promise<Comparison[]>
}

/** Measures a subject once; whoever it belongs to keeps the figures unless the turn is only to warm up. */
export type Turn = (counts: boolean) => Promise<void>

/**
 * Takes turns: every subject once, then every subject again, so that a slow minute of the machine falls on all. The first
 * round is not counted: code is compiled, plans are made and files grow in it.
 */
export const interleave = async (repetitions: number, turns: readonly Turn[]): Promise<void> => {
  for (let round = 0; round <= repetitions; round++) for (const turn of turns) await turn(round > 0)
}
