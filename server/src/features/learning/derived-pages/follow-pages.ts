import type { BrainEvent } from '@noema/contracts/events.ts'
import type { Limits } from '../../../config/config.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { readStepTexts } from '../../agents/messages/answers.ts'
import { selectRun } from '../../agents/runs/run-queries.ts'
import { selectTier } from '../../agents/runs/start-queries.ts'
import { findCaps, startRun } from '../../agents/runs/start-run.ts'
import type { RunRow } from '../../agents/runs/types.ts'
import { findStarter } from '../../evals/eval-runs/starter.ts'
import { type BrainRow, selectLiveBrain } from '../../kernel/brains/brain-queries.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import { readPage, splitEvents } from '../../kernel/stream/stream.ts'
import { checkReadersOfRuns, openTarget } from '../distillations/check-target.ts'
import { examinedTypes, findEffect } from './find-effect.ts'
import {
  brainsWithDuePages,
  insertRewrite,
  selectBrainsWithDuePages,
  selectDecision,
  selectDuePage,
  storePage,
} from './page-queries.ts'
import type { PageRow, PageState } from './types.ts'
import { readUsed, stagePage, toActor, toRequest, type WriteDeps } from './write-page.ts'

// Follows derived pages. A page is in one of four places: its run is at work, its rewrite waits for review, it is about to be written,
// or the events since are compared with what its last run read. So there is one rewrite of a page at a time, whatever is written
// meanwhile, and the events since its run began are examined after it was decided.

export type FollowDeps = WriteDeps &
  Parameters<typeof startRun>[0] & { prepared: RunPrepared; limits: Pick<Limits, 'caps'> }

const eventsAtOnce = 200
/** Pages, and steps of one page, in a turn, after which other Brains have theirs. */
const pagesAtOnce = 10
const stepsAtOnce = 5

const maxFailures = 3
const retrySeconds = 60
const maxPauseSeconds = 300

type Following = { deps: FollowDeps; brain: BrainRow; page: PageRow }
/** The changes of a page by one step. `isMore`: another step can follow at once. */
type Step = Partial<PageState> & { isMore?: boolean }

const firstReason = 'The first text of this derived page.'

const inSeconds = ({ clock }: FollowDeps, seconds: number): Date => new Date(clock.now().getTime() + seconds * 1_000)

/** Refuses to go on for a person or key who may no longer write to the Brain. */
const checkAccess = async ({ deps, brain: { organizationId, id }, page }: Following): Promise<void> => {
  const { viewer } = await findStarter(deps, { organization: organizationId, startedBy: page.setBy })
  await openTarget(deps.db, { organizationId, brain: id, viewer })
}

/** Starts the run that writes a page, or finds the one that a node started before it died. */
const begin = async (following: Following): Promise<Step> => {
  const { deps, brain, page } = following
  const { organizationId, handle } = brain
  await checkAccess(following)
  const revision = page.revision + 1
  const { run } = await startRun(deps, {
    ...{ organizationId, actor: toActor(page), agentId: page.agentId, maxAccess: 'read_only' },
    input: toRequest(page, handle),
    metadata: { derivedPage: page.documentId, brain: handle },
    partOf: `derived page ${page.id}`,
    idempotencyKey: `rewrite ${revision}`,
  })
  return { revision, runId: run.id, isRunning: true, next: brain.position, dueAt: inSeconds(deps, 1) }
}

const fail = ({ deps, page }: Following, reason: string): Step => {
  const failures = page.failures + 1
  const isOver = failures >= maxFailures
  return {
    ...{ isRunning: false, failures },
    pausedReason: isOver ? `Its runs failed ${failures} times: ${reason}`.slice(0, 2_000) : null,
    dueAt: isOver ? null : inSeconds(deps, retrySeconds * failures),
  }
}

/** Stages what a completed run wrote. */
const finish = async (following: Following, run: RunRow): Promise<Step> => {
  const { deps, brain, page } = following
  const { organizationId, brainId } = brain
  const text = (await readStepTexts(deps, run)).at(-1)?.text.trim() ?? ''
  if (text === '') return fail(following, 'The run answered nothing.')
  // Access may have ended since the run began.
  await checkAccess(following)
  await checkReadersOfRuns(deps, { organizationId, into: brainId, runIds: [run.id] })
  const { used, receipt } = await readUsed(deps.db, brain, run.id)
  const reason = page.reason ?? firstReason
  const caps = findCaps(deps.limits, await selectTier(deps.db, organizationId))
  const change = await stagePage(deps, { page, run, text, receipt, reason, caps })
  const known = { used, isRunning: false, failures: 0, dueAt: null, change }
  if (change === null) return { ...known, examined: page.next ?? page.examined, next: null, reason: null, isMore: true }
  const { lineage } = page
  await insertRewrite(deps.db, page, { change, runId: run.id, reason, lineage, at: deps.clock.now() })
  return { ...known, examined: brain.position }
}

const collect = async (following: Following): Promise<Step> => {
  const { deps, brain, page } = following
  const run = await selectRun(deps.db, { organizationId: brain.organizationId, id: page.runId ?? '' })
  if (!run) return fail(following, 'The run is gone.')
  if (run.completedAt === null) {
    const age = (deps.clock.now().getTime() - run.createdAt.getTime()) / 1_000
    return { dueAt: inSeconds(deps, Math.min(30, Math.max(1, age / 4))) }
  }
  if (run.state === 'completed') return finish(following, run)
  return fail(following, run.failureReason ?? run.abandonReason ?? `The run is ${run.state}.`)
}

/** Looks whether the change of a rewrite is decided. Writes since its run began are examined then. */
const review = async ({ deps, brain, page }: Following): Promise<Step> => {
  const found = await selectDecision(deps.db, page.brainId, page.change ?? '')
  const isOpen =
    found?.decision === 'pending' ||
    (found?.decision === 'approved' && !['applied', 'cancelled'].includes(found.application))
  if (isOpen) return { examined: brain.position }
  return { change: null, reason: null, lineage: [], examined: page.next ?? page.examined, next: null, isMore: true }
}

type ContentEvent = Extract<BrainEvent, { type: (typeof examinedTypes)[number] }>

/** Compares the next events with what the last run read. */
const examine = async ({ deps, page }: Following): Promise<Step> => {
  const { brainId, examined: after } = page
  const events = await readPage(deps.prepared, brainId, { after, limit: eventsAtOnce, types: examinedTypes })
  const parsed = splitEvents(events).map((event) => JSON.parse(event) as ContentEvent)
  const effect = parsed.length === 0 ? undefined : await findEffect(deps.db, page, parsed)
  const { examined, hasMore: isMore } = events
  return effect ? { ...effect, examined, dueAt: deps.clock.now(), isMore: true } : { examined, isMore }
}

const findStep = ({ isRunning, change, dueAt }: PageRow) => {
  if (isRunning) return collect
  if (change !== null) return review
  return dueAt === null ? examine : begin
}

/** Decides after a refusal: caps and outages are tried again, anything else waits until the page is set again. */
const toPause = (deps: FollowDeps, { kind, message, retryAfterSeconds }: ApiError): Step => {
  if (kind === 'rate_limited' || kind === 'unavailable')
    return { dueAt: inSeconds(deps, Math.min(retryAfterSeconds ?? retrySeconds, maxPauseSeconds)) }
  return { pausedReason: message.slice(0, 2_000), isRunning: false, dueAt: null }
}

/** Does the next step for a page; undefined where it has nothing more to do now. */
const follow = async (following: Following): Promise<PageRow | undefined> => {
  const { deps, page } = following
  const step = await findStep(page)(following).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    return toPause(deps, error)
  })
  const { isMore, ...state } = step
  const next: PageRow = { ...page, ...state }
  return (await storePage(deps.db, page, next)) && isMore ? next : undefined
}

/** Follows the pages of a Brain that have something to do. */
const followBrain = async (deps: FollowDeps, brainId: number, turn: BrainTurn): Promise<BrainTurnEnd> => {
  let documentId = ''
  for (let pages = 0; pages < pagesAtOnce; pages++) {
    const brain = await selectLiveBrain(deps.db, brainId)
    const found = brain && (await selectDuePage(deps.db, { brainId, documentId }, deps.clock.now()))
    if (!found) return 'done'
    documentId = found.documentId
    let page: PageRow | undefined = found
    for (let steps = 0; page && steps < stepsAtOnce; steps++) {
      if (turn.stopping.aborted || !(await turn.renew())) return 'unfinished'
      page = await follow({ deps, brain, page })
    }
  }
  return 'unfinished'
}

/** Follows derived pages as work on Brains. Those without such pages have none. */
export const createPageWork = (deps: FollowDeps) => ({
  ...createBrainWork(deps, {
    name: 'follow derived pages',
    ...{ work: 'derived pages', maxTurns: 4, leaseSeconds: 30, topic: 'brain:' },
    debounce: { quietMilliseconds: 500, maxMilliseconds: 5_000 },
    behind: brainsWithDuePages,
    dueKeys: selectBrainsWithDuePages,
    run: (brainId, turn) => followBrain(deps, brainId, turn),
  }),
  maxTurnsOfOrganization: 2,
})
