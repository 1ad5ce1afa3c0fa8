import { setTimeout as delay } from 'node:timers/promises'
import { createRequester } from '../app.ts'
import type { Place } from './writers.ts'

/** Reads a Brain repeatedly, and reports each answer. */
export const startProbe = (base: string, { brainPath, secret }: Omit<Place, 'url'>) => {
  const answers: { status: number; retryAfter: string | null; milliseconds: number }[] = []
  const stopping = new AbortController()
  const request = createRequester(base)
  const probe = async () => {
    while (!stopping.signal.aborted) {
      const begun = performance.now()
      const { status, headers } = await request('GET', brainPath, { key: secret })
      answers.push({ status, retryAfter: headers.get('retry-after'), milliseconds: performance.now() - begun })
      await delay(20)
    }
  }
  const done = probe()
  return {
    answers,
    stop: async () => {
      stopping.abort()
      await done
    },
  }
}
