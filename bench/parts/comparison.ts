// What is measured and told, apart from how.

/** How long and how often to measure. */
export type Effort = { repetitions: number; seconds: number; warmUpSeconds: number }

/** One thing that was measured, once in each repetition. */
export type Series = { name: string; unit: string; better: 'more' | 'less'; values: number[] }

/** A bound on the ratio to the floor where there is one, else on the value itself. */
export type Target = { min: number } | { max: number } | undefined

/** How much of a processor each process had while a subject was measured: 1 is one core. */
export type Cores = Record<string, number>

/** Noema's figures beside those of what they are held against: the least that the work needs, and what one could use instead. */
export type Comparison = {
  what: string
  noema: Series
  floor?: Series | undefined
  peer?: Series | undefined
  target?: Target
  cores?: Cores | undefined
}

/** What was measured on. */
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
