// The figures of a measurement and their report, apart from its method.

/** The duration and the number of repetitions of a measurement. */
export type Effort = { repetitions: number; seconds: number; warmUpSeconds: number }

/** One thing that was measured, once in each repetition. */
export type Series = { name: string; unit: string; better: 'more' | 'less'; values: number[] }

/** A bound on the ratio to the floor where there is one, else on the value itself. */
export type Target = { min: number } | { max: number } | undefined

/** The share of a processor that each process used during a measurement: 1 is one core. */
export type Cores = Record<string, number>

/** Noema's figures next to its comparisons: the minimum that the work needs, and an alternative product. */
export type Comparison = {
  what: string
  noema: Series
  floor?: Series | undefined
  peer?: Series | undefined
  target?: Target
  cores?: Cores | undefined
}

/** The machine of the measurement. */
export type Machine = {
  cores: number
  processor: string
  memoryGigabytes: number
  /** Of Noema, Node and the built-in PostgreSQL. */
  versions: string
  loadAtStart: number
  /** The middle time of writing 8 kB to a file and having it on disk: what each commit pays at least. */
  syncMilliseconds: number
}
