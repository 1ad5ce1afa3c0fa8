/** The disk counts as full for this long after it refused a write. */
const fullMilliseconds = 60_000

/** Remembers that the disk of the database was full: reads go on then, and only writes are refused. */
export type DiskWatch = {
  /** Notes why a statement failed. */
  note(error: unknown): void
  /** True if a write was refused for lack of space within the last minute. */
  isFull(): boolean
}

export const createDiskWatch = (now: () => number = () => performance.now()): DiskWatch => {
  let refusedAt = Number.NEGATIVE_INFINITY
  return {
    note: (error) => {
      if (error instanceof Error && 'code' in error && error.code === '53100') refusedAt = now()
    },
    isFull: () => now() - refusedAt < fullMilliseconds,
  }
}
