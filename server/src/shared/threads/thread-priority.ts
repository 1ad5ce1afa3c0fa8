import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

// Where everybody wants the processors at once, the threads that answer requests go first. On Linux each thread has a niceness
// of its own; elsewhere it is the process that has one, and threads share alike.

/** How far threads stand back: what answers a large request a little, and what may come later far. */
const niceness = { 'large requests': 5, background: 10 } as const

/** Has the thread that calls this, and those that it starts, stand back behind the others of this service. */
export const lowerThreadPriority = (work: keyof typeof niceness): void => {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness[work])
  } catch {
    // Where it may not be lowered the work is the same.
  }
}
