import { randomUUID } from 'node:crypto'
import type { Config } from '../../../config/config.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError, unauthorized } from '../../../shared/errors.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import { readServiceVersion } from '../../../shared/service-version.ts'
import { type BrainRow, selectLiveBrain } from '../../kernel/brains/brain-queries.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import { applyPages } from './apply-pages.ts'
import { fetchPage } from './fetch-page.ts'
import type { ReadDeps, Reader } from './read-page.ts'
import {
  brainsWithDueSources,
  type DuePageRow,
  type DueSource,
  endRefresh,
  pauseSource,
  recordProblem,
  type Standing,
  selectBrainsWithDueSources,
  selectDuePages,
  selectDueSource,
  selectStanding,
  storePage,
} from './refresh-queries.ts'
import { deleteSites } from './site-queries.ts'
import { createSiteRules, programName, type SiteRules } from './site-rules.ts'
import { toPageState } from './to-page-state.ts'

// Refreshes of web sources: pages that are due are fetched one after the other and kept with their row, so that a node may die at any
// time. When no page of a source is due any more, what differs becomes one change.

type Deps = Omit<ReadDeps, 'refusesCredentials' | 'extractor'> & {
  extractor: ReadDeps['extractor'] | undefined
  clock: Clock
  outbound: Outbound
  publicUrl: string
  commitEngine: Parameters<typeof applyPages>[0]['commitEngine'] & { refusesCredentials: boolean }
  webPages: Pick<Config['webPages'], 'seconds' | 'maxBytes' | 'pauseMilliseconds'>
  /** The caps of an organization. */
  findCaps(standing: Pick<Standing, 'tier' | 'verified'>): Caps
}

type Working = Deps & { sites: SiteRules; userAgent: string; extractor: ReadDeps['extractor'] }

/** Pages of one turn, after which other Brains have theirs. */
const pagesAtOnce = 10
const minRetrySeconds = 60
const maxRetrySeconds = 3_600

/** The author of changes and files: the service, on behalf of the author of the source. */
const toActor = ({ id, author }: DueSource): Actor => {
  const { userId, rotatedBy, line = author.id } = author
  const person = author.type === 'session' ? author.id : userId
  const people = { ...(person === undefined ? {} : { userId: person }), ...(rotatedBy ? { rotatedBy } : {}) }
  return { type: 'system', id, line, ...people }
}

const accessEnded =
  'The access of the person or key that set up these pages has ended. Refresh the source, or set its pages again, to continue.'

type Refreshing = { brain: BrainRow; source: DueSource; standing: Standing }

const toReader = (deps: Working, { brain, source, standing }: Refreshing): Reader => {
  const { organizationId } = brain
  return {
    organizationId,
    subject: { organization: organizationId, key: `${organizationId} ${source.id}` },
    by: toActor(source),
    caps: deps.findCaps(standing),
    // Files of the organization are open to all its members; a restricted Brain is not.
    keepsFile: !standing.isRestricted,
    hold: async (tx) => {
      const now = await selectStanding(tx, source, { organizationId, now: deps.clock.now() })
      if (!now?.mayWrite) throw unauthorized(accessEnded)
    },
  }
}

/** Fetches a page and stores what came of it. False if it has to wait for others. */
const refreshPage = async (deps: Working, refreshing: Refreshing, page: DuePageRow): Promise<boolean> => {
  const { webPages, clock, commitEngine } = deps
  const { source, brain } = refreshing
  const limits = { idleSeconds: webPages.seconds, totalSeconds: webPages.seconds, maxBytes: webPages.maxBytes }
  const fetchOnce = deps.outbound.fetch('page', { organization: brain.organizationId, ...limits })
  const fetched = await fetchPage(deps, fetchOnce, { url: page.url, validators: page })
  if (fetched.kind === 'postponed') return false
  const reading = { ...deps, refusesCredentials: commitEngine.refusesCredentials }
  const state = await toPageState(reading, { reader: toReader(deps, refreshing), source, page, fetched })
  await storePage(deps.db, source, page, { state, now: clock.now() })
  return true
}

const refreshPages = async (
  deps: Working,
  refreshing: Refreshing,
  { pages, turn }: { pages: readonly DuePageRow[]; turn: BrainTurn },
): Promise<BrainTurnEnd> => {
  let fetched = 0
  for (const page of pages) {
    if (turn.stopping.aborted || !(await turn.renew())) return 'unfinished'
    if (await refreshPage(deps, refreshing, page)) fetched++
  }
  return fetched === 0 ? 'later' : 'unfinished'
}

/** Writes what was fetched, or ends the refresh if there is nothing to write. */
const writePages = async (deps: Working, { brain, source, standing }: Refreshing): Promise<void> => {
  const now = deps.clock.now()
  const submitter = { actor: toActor(source), mayRead: false, caps: deps.findCaps(standing) }
  try {
    const isMore = await applyPages(deps, submitter, source)
    if (!isMore) await endRefresh(source, { organizationId: brain.organizationId, now }).execute(deps.db)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const seconds = Math.min(Math.max(error.retryAfterSeconds ?? maxRetrySeconds / 4, minRetrySeconds), maxRetrySeconds)
    const dueAt = new Date(now.getTime() + seconds * 1000)
    await recordProblem(source, { problem: error.message, dueAt }).execute(deps.db)
  }
}

/** One step for the source of a Brain that is due first. */
const refreshBrain = async (deps: Working, brainId: number, turn: BrainTurn): Promise<BrainTurnEnd> => {
  const now = deps.clock.now()
  const brain = await selectLiveBrain(deps.db, brainId)
  const source = brain?.availability === 'active' ? await selectDueSource(deps.db, brainId, now) : undefined
  if (!brain || !source) return 'done'
  const standing = await selectStanding(deps.db, source, { organizationId: brain.organizationId, now })
  if (!standing?.mayWrite) {
    await pauseSource(deps.db, source, { reason: accessEnded, organizationId: brain.organizationId, now })
    return 'unfinished'
  }
  const refreshing = { brain, source, standing }
  const pages = await selectDuePages(deps.db, source, { now, limit: pagesAtOnce })
  if (pages.length > 0) return refreshPages(deps, refreshing, { pages, turn })
  await writePages(deps, refreshing)
  return 'unfinished'
}

/** A node keeps a site until its call has ended and the pause after it is over. Without a pause, nodes call at once. */
const findHeld = ({ seconds, pauseMilliseconds }: Deps['webPages']): number =>
  pauseMilliseconds === 0 ? 0 : seconds * 1_000 + pauseMilliseconds

/** The name of this process among those that call sites. */
const thisNode: string = randomUUID()

/** Refreshes web sources. An organization has a few turns at once on a node, because each waits for sites. */
export const createSourceRefreshing = (deps: Deps, node = thisNode) => {
  const { extractor, webPages } = deps
  if (!extractor) throw new Error('Web pages are read where files are.')
  const userAgent = `Mozilla/5.0 (compatible; ${programName}/${readServiceVersion()}; +${deps.publicUrl}/docs/guides/web-pages)`
  const sites = createSiteRules({ ...deps, node, heldMilliseconds: findHeld(webPages) })
  const working = { ...deps, extractor, sites, userAgent }
  return {
    ...createBrainWork(deps, {
      name: 'refresh web pages',
      ...{ work: 'refresh web pages', maxTurns: 16, leaseSeconds: 60 },
      behind: brainsWithDueSources,
      dueKeys: selectBrainsWithDueSources,
      run: (brainId, turn) => refreshBrain(working, brainId, turn),
    }),
    maxTurnsOfOrganization: 4,
  }
}

const keptMilliseconds = 86_400_000
const deletedAtOnce = 1_000

/** Forgets sites that no node has called for a day. */
export const forgetSites = async ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> => {
  const before = new Date(clock.now().getTime() - keptMilliseconds)
  while ((await deleteSites(db, { before, limit: deletedAtOnce })) === deletedAtOnce);
}
