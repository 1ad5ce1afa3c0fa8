import type { Fetched } from './fetch-page.ts'
import { findNextRefresh, findNextTry, type Rhythm } from './next-fetch.ts'
import { PageRefused, type ReadDeps, type Reader, readPage } from './read-page.ts'
import type { DuePageRow, PageState } from './refresh-queries.ts'

type Deps = ReadDeps

type Given = {
  reader: Reader
  source: Rhythm
  page: DuePageRow
  fetched: Exclude<Fetched, { kind: 'postponed' }>
}

type Failed = { status: number | null; error: string; isPassing: boolean; retryAt?: Date }

const notModified = 304

/** A page that failed keeps its last text. */
const toFailedState = ({ source, page }: Given, { status, error, ...failed }: Failed, now: Date): PageState => {
  const failures = page.failures + 1
  const nextAt = findNextTry(source, { ...failed, failures }, now)
  const kept = { etag: page.etag, lastModified: page.lastModified, title: page.title, pending: undefined }
  return { ...kept, status, error, failures, missing: page.missing, nextAt, isFetched: false }
}

/** The state of a page after it was asked for. */
export const toPageState = async (deps: Deps, given: Given): Promise<PageState> => {
  const { reader, source, page, fetched } = given
  const now = deps.clock.now()
  if (fetched.kind === 'failed') return toFailedState(given, fetched, now)
  const nextAt = findNextRefresh(source, now)
  const kept = { etag: page.etag, lastModified: page.lastModified, title: page.title }
  if (fetched.kind === 'missing') {
    const { status, error } = fetched
    const missing = page.missing + 1
    return { ...kept, status, error, failures: 0, missing, nextAt, isFetched: false, pending: undefined }
  }
  const fine = { error: null, failures: 0, missing: 0, nextAt, isFetched: true }
  if (fetched.kind === 'unchanged') return { ...kept, ...fine, status: notModified, pending: undefined }
  const { answer } = fetched
  const { status, headers } = answer
  try {
    const isNews = ({ hash, title }: { hash: string; title: string | null }) =>
      hash !== page.hash || title !== page.title
    const pending = await readPage(deps, reader, { answer, fetchedAt: now, url: page.url, isNews })
    const validators = { etag: headers.get('etag'), lastModified: headers.get('last-modified') }
    return { ...fine, ...validators, status, title: (pending ?? page).title, pending: pending ?? null }
  } catch (error) {
    if (!(error instanceof PageRefused)) throw error
    return toFailedState(given, { status, error: error.message, isPassing: error.isPassing }, now)
  }
}
