import type { Comparison, Effort } from './comparison.ts'
import type { LoadClient } from './load.ts'
import type { ScratchPostgres } from './scratch-postgres.ts'

/** What a benchmark measures with. */
export type Bench = {
  postgres: ScratchPostgres
  load: LoadClient
  effort: Effort
  /** Where Noema's CPU profiles go, when they are asked for. */
  profileFolder: string | undefined
  note(text: string): void
}

/** A benchmark: what it is about, what it is compared with, and how it runs. */
export type Benchmark = {
  name: string
  about: string
  /** What the floor does, and what it leaves out. */
  floor: string
  /** What the peer is, and what it leaves out. */
  peer?: string
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
