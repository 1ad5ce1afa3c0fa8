import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

// If every processor is busy, the threads that answer requests run first. On Linux each thread has its own niceness;
// elsewhere only the process has one, and its threads share the processors equally.

/** The niceness of threads: slightly lower priority for large requests, much lower for background work. */
const niceness = { 'large requests': 5, background: 10 } as const

/** Lowers the priority of the calling thread, and of threads that it starts, behind the other threads of this service. */
export const lowerThreadPriority = (work: keyof typeof niceness): void => {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness[work])
  } catch {
    // If the priority may not be lowered, the work is the same.
  }
}

/**
 * Lowers the priority of the threads of libuv's pool, which hash passwords and compress answers, to that of large requests. They
 * start with the first task of the pool.
 */
export const lowerPoolPriority = (): void => {
  try {
    for (const thread of readdirSync('/proc/self/task'))
      if (readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === 'libuv-worker')
        setPriority(Number(thread), niceness['large requests'])
  } catch {
    // If the priority may not be lowered, the work is the same.
  }
}
