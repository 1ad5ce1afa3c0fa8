import { reachingFetch } from '../parts/reach.ts'
import { readUser } from './auth.ts'

// The end of the session while pages are open: it expired, or the person signed it out elsewhere. The pages stay, and a dialog
// asks to sign in again.

let isEnded = false
const listeners = new Set<() => void>()

const change = (next: boolean) => {
  isEnded = next
  for (const listener of listeners) listener()
}

export const subscribeToEnd = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const hasEnded = (): boolean => isEnded

/** The person has signed in again. */
export const resumeSession = (): void => change(false)

/** A refusal has other reasons, too: the session itself is asked for. */
const check = async () => {
  if (!isEnded && (await readUser()) === undefined) change(true)
}

/** `fetch` for the calls of the pages, which notices the end of the session and whether the service answers. */
export const watchedFetch: typeof fetch = async (input, init) => {
  const response = await reachingFetch(input, init)
  if (response.status === 401) void check().catch(() => undefined)
  return response
}
