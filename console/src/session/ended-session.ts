import { createObservable } from '../observable.ts'
import { reachingFetch } from '../parts/reach.ts'
import { readUser } from './auth.ts'
import { noteLimit } from './rate-limit.ts'

// The end of the session while pages are open: it expired, or the person signed it out elsewhere. The pages stay, and a dialog
// asks to sign in again.

export const isSignedOut = createObservable(false)

/** The person has signed in again. */
export const resumeSession = (): void => isSignedOut.set(false)

/** A refusal has other reasons, too: the session itself is asked for. */
const check = async () => {
  if (!isSignedOut.read() && (await readUser()) === undefined) isSignedOut.set(true)
}

/**
 * `fetch` for the calls of the pages, which notices the end of the session, the limit of requests, and whether the service
 * answers.
 */
export const watchedFetch: typeof fetch = async (input, init) => {
  const response = await reachingFetch(input, init)
  if (response.status === 401) void check().catch(() => undefined)
  if (response.status === 429) noteLimit(response.headers.get('retry-after'))
  return response
}
