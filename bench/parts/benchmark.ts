import type { Comparison, Effort } from './comparison.ts'
import type { LoadClient } from './load.ts'
import type { ScratchPostgres } from './scratch-postgres.ts'

/** The parts of a measurement. */
export type Bench = {
  postgres: ScratchPostgres
  load: LoadClient
  effort: Effort
  /** The folder of Noema's CPU profiles, if requested. */
  profileFolder: string | undefined
  note(text: string): void
}

/** A benchmark: its subject, its comparisons, and its run. */
export type Benchmark = {
  name: string
  about: string
  /** The work of the floor, and the parts that it leaves out. */
  floor: string
  /** The work of the peer, and the parts that it leaves out. */
  peer?: string
  run(bench: Bench): Promise<Comparison[]>
}

/** Measures a subject once; its owner keeps the figures unless the turn is a warm-up. */
export type Turn = (counts: boolean) => Promise<void>

/**
 * Takes turns: every subject once, then every subject again, so that a slow minute of the machine falls on all. The first
 * round is not counted: code is compiled, plans are made and files grow in it.
 */
export const interleave = async (repetitions: number, turns: readonly Turn[]): Promise<void> => {
  for (let round = 0; round <= repetitions; round++) for (const turn of turns) await turn(round > 0)
}
