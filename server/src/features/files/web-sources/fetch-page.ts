import type { Clock } from '../../../shared/clock.ts'
import { CallFailure } from '../../../shared/outbound/call-failure.ts'
import { type Answer, getPage, type Validators } from './get-page.ts'
import type { SiteRules } from './site-rules.ts'

/** The outcome of asking for a page. `retryAt`: the site asked not to come before. */
export type Fetched =
  | { kind: 'content'; answer: Answer }
  | { kind: 'unchanged' }
  | { kind: 'missing'; status: number; error: string }
  | { kind: 'failed'; status: number | null; error: string; isPassing: boolean; retryAt?: Date }
  | { kind: 'postponed' }

const maxWaitMilliseconds = 7 * 86_400_000

/** The time that a `Retry-After` header names: seconds, or a date. */
const readRetryAfter = (headers: Headers, now: Date): Date | undefined => {
  const text = headers.get('retry-after')?.trim() ?? ''
  const time = /^\d{1,9}$/.test(text) ? now.getTime() + Number(text) * 1000 : Date.parse(text)
  if (Number.isNaN(time) || time <= now.getTime()) return undefined
  return new Date(Math.min(time, now.getTime() + maxWaitMilliseconds))
}

const busy = [429, 503]
const passing = [408, 425, ...busy]

const toFetched = (answer: Answer, now: Date): Fetched => {
  const { status, headers } = answer
  if (status === 200) return { kind: 'content', answer }
  if (status === 304) return { kind: 'unchanged' }
  if (status === 404 || status === 410)
    return { kind: 'missing', status, error: `The site says that there is no such page (${status}).` }
  const retryAt = busy.includes(status) ? readRetryAfter(headers, now) : undefined
  const error =
    status === 401 || status === 403
      ? `The site refuses access to this page (${status}).`
      : `The site answered with the status ${status}.`
  const isPassing = passing.includes(status) || status >= 500
  return { kind: 'failed', status, error, isPassing, ...(retryAt ? { retryAt } : {}) }
}

type Deps = { clock: Clock; sites: SiteRules; userAgent: string }

/** Asks for a page, unless its site asked to wait or does not allow it, or another node calls it. */
export const fetchPage = async (
  { clock, sites, userAgent }: Deps,
  fetchOnce: typeof fetch,
  { url, validators }: { url: string; validators: Validators },
): Promise<Fetched> => {
  const { mayCall, waitUntil } = await sites.claim(url)
  if (waitUntil) {
    const error = `The site asked to wait until ${waitUntil.toISOString()}.`
    return { kind: 'failed', status: null, error, isPassing: true, retryAt: waitUntil }
  }
  if (!mayCall) return { kind: 'postponed' }
  try {
    const check = (hop: string) => sites.check(fetchOnce, hop, userAgent)
    const answer = await getPage(fetchOnce, { url, userAgent, validators, check })
    const fetched = toFetched(answer, clock.now())
    // After a redirect, it is the other site that asks to wait.
    if (fetched.kind === 'failed' && fetched.retryAt) await sites.wait(answer.url, fetched.retryAt)
    return fetched
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    if (error.isPostponed) return { kind: 'postponed' }
    return { kind: 'failed', status: null, error: error.message, isPassing: error.isRetryable }
  }
}
