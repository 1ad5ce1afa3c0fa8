import type { TestApp, TestBrain } from './app.ts'

// What samples of calls are made of.

export type Parts = {
  params?: Record<string, string>
  query?: string
  body?: unknown
  headers?: Record<string, string>
}
export type Sample = (test: TestApp, brain: TestBrain) => Parts | Promise<Parts>

let made = 0
export const fresh = (what: string): string => `${what}-${++made}`

/** An address where nobody listens. */
export const unreachable = 'http://127.0.0.1:9/'

export const plain = () => ({})
