import { percentile } from '../parts/statistics.ts'

// The figures of an honest tenant in one window.

export const operations = ['live', 'read', 'list', 'write', 'found', 'export', 'delivery'] as const
type Operation = (typeof operations)[number]

/** Milliseconds of each thing that was done in a window, how many were answered 5xx or not at all, and how late the client itself was. */
export type Window = { times: Record<Operation, number[]>; failures: number; examples: string[]; late: number }

export const emptyWindow = (): Window => ({
  times: { live: [], read: [], list: [], write: [], found: [], export: [], delivery: [] },
  ...{ failures: 0, examples: [], late: 0 },
})

export const joinWindows = (windows: readonly Window[]): Window => {
  const joined = emptyWindow()
  for (const { times, failures, examples, late } of windows) {
    for (const name of operations) joined.times[name].push(...times[name])
    joined.failures += failures
    joined.examples.push(...examples)
    joined.late = Math.max(joined.late, late)
  }
  return joined
}

export const sumUp = (times: readonly number[]): { p50: number; p99: number; max: number } => {
  const sorted = Float64Array.from(times).sort()
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: sorted.at(-1) ?? 0 }
}
