import { setImmediate } from 'node:timers/promises'
import type { Limits } from '../../../config/config.ts'
import { actFor } from '../../../shared/actor.ts'
import type { LeasedWork, Turn } from '../../../shared/concurrency/leased-work.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { endWork, renewWork, storeWorkOutcomes, type WorkOutcome } from '../../../storage/organization-work-queries.ts'
import { selectTier } from '../../agents/runs/start-queries.ts'
import { findCaps } from '../../agents/runs/start-run.ts'
import { findStarter } from '../../evals/eval-runs/starter.ts'
import { checkReaders, openTarget } from './check-target.ts'
import { Gathering } from './collect-items.ts'
import { extractRun } from './extract.ts'
import { selectExtracts, selectItems, storeExtracts, storeFound, storeOutcome, storeWorded } from './item-queries.ts'
import { selectUnread } from './journal-queries.ts'
import { leaseDistillations } from './lease-queries.ts'
import { readJournal } from './read-journal.ts'
import { selectSeenBrains } from './source-queries.ts'
import { type StageDeps, stageItem } from './stage-item.ts'
import type { Extract, LeasedDistillation } from './types.ts'
import { type WordDeps, wordItems } from './word-items.ts'

// Works on distillations, a bounded piece in each turn: some journals are read and what they show is stored, then items are made of all
// of that, worded if there is a model, and staged one by one. A stored piece is never repeated; an item that was staged when a node died
// is found again by its key.

export type DistillDeps = WordDeps & StageDeps & { limits: Pick<Limits, 'caps'> }

/** Journals and items of one turn, after which others have theirs. */
const runsAtOnce = 10
const itemsAtOnce = 10

/** Extracts that are loaded at once. */
const extractsAtOnce = 50

const leaseSeconds = 60
const minWaitSeconds = 1
const maxWaitSeconds = 30
const maxPauseSeconds = 300
/** So many failures in a row of what the work needs end it. */
const maxFailures = 50

type Working = { deps: DistillDeps; work: LeasedDistillation; viewer: Viewer }
/** The state after a piece of work: there is more of it, it waits, or it is over, because it ended or the lease was lost. */
type Next = 'more' | 'wait' | 'over'

const toKey = ({ organization, id, lease }: LeasedDistillation) => ({ organizationId: organization, id, lease })

const none: Extract = { tools: [], seen: [], flags: [] }

/** Reads the next journals. */
const readRuns = async ({ deps, work, viewer }: Working, turn: Turn<WorkOutcome>): Promise<Next> => {
  const key = toKey(work)
  const unread = await selectUnread(deps.db, key, { viewer, limit: runsAtOnce })
  if (unread.length === 0) return collect({ deps, work, viewer })
  for (const { position, runId, isOpen } of unread) {
    if (turn.stopping.aborted) return 'more'
    // A run that its starter can no longer see shows nothing.
    const extract = isOpen
      ? extractRun(await readJournal(deps.db, { organizationId: work.organization, runId }, viewer))
      : none
    if (!(await storeExtracts(deps.db, key, [{ position, extract }]))) return 'over'
  }
  return 'more'
}

/** Makes items of all that was seen. */
const collect = async ({ deps, work }: Working): Promise<Next> => {
  const key = toKey(work)
  const gathering = new Gathering()
  for (let after = 0; ; ) {
    const page = await selectExtracts(deps.db, key, { after, limit: extractsAtOnce })
    for (const { position, runId, extract } of page) {
      gathering.add(runId, extract)
      after = position
      await setImmediate()
    }
    if (page.length < extractsAtOnce) break
  }
  const found = gathering.listItems(work.definition.produce).map((item, index) => ({ ...item, number: index + 1 }))
  const phase = work.definition.model && found.length > 0 ? 'wording' : 'staging'
  const isStored = await storeFound(deps.db, key, { items: found, brain: work.brain, phase })
  return isStored ? 'more' : 'over'
}

const word = async ({ deps, work }: Working): Promise<Next> => {
  const worded = await wordItems(deps, work, await selectItems(deps.db, toKey(work)))
  if (!worded) return 'wait'
  return (await storeWorded(deps.db, toKey(work), worded)) ? 'more' : 'over'
}

const stage = async ({ deps, work, viewer }: Working, turn: Turn<WorkOutcome>): Promise<Next> => {
  const key = toKey(work)
  const items = await selectItems(deps.db, key, 'found')
  if (items.length === 0) {
    await endWork(
      deps.db,
      'distillations',
      { ...key, state: 'completed', reason: null, now: deps.clock.now() },
      key.lease,
    )
    return 'over'
  }
  const { organization: organizationId, brain: id, definition } = work
  const brain = await openTarget(deps.db, { organizationId, brain: id, viewer })
  const sources = (await selectSeenBrains(deps.db, key)).map(({ brainId }) => brainId)
  const caps = findCaps(deps.limits, await selectTier(deps.db, organizationId))
  for (const item of items.slice(0, itemsAtOnce)) {
    if (turn.stopping.aborted) return 'more'
    await checkReaders(deps, { into: brain.brainId, sources, allowWider: definition.allowWider })
    const done = await stageItem(deps, { work: key, brain, actor: actFor(work.id, work.startedBy), caps }, item)
    if (!(await storeOutcome(deps.db, key, { number: item.number, ...done }))) return 'over'
  }
  return 'more'
}

const pieces = { reading: readRuns, wording: word, staging: stage }

const toWait = ({ waits }: LeasedDistillation): number =>
  Math.min(maxWaitSeconds, minWaitSeconds * 2 ** Math.min(waits, 10))

/** Decides what follows from a refusal: the work waits for a cap and for what is away, and fails for any other reason. */
const toPause = async ({ deps, work }: Pick<Working, 'deps' | 'work'>, error: ApiError) => {
  const isTransient = error.kind === 'rate_limited' || (error.kind === 'unavailable' && work.waits < maxFailures)
  if (!isTransient) {
    const { lease, ...key } = toKey(work)
    await endWork(
      deps.db,
      'distillations',
      { ...key, state: 'failed', reason: error.message, now: deps.clock.now() },
      lease,
    )
    return undefined
  }
  const seconds = Math.min(error.retryAfterSeconds ?? toWait(work), maxPauseSeconds)
  return {
    dueAt: new Date(deps.clock.now().getTime() + seconds * 1_000),
    waits: work.waits + 1,
    waiting: error.message,
  }
}

const workOnce = async (
  deps: DistillDeps,
  work: LeasedDistillation,
  turn: Turn<WorkOutcome>,
): Promise<WorkOutcome | undefined> => {
  try {
    const until = new Date(deps.clock.now().getTime() + leaseSeconds * 1_000)
    if (!(await renewWork(deps.db, 'distillations', toKey(work), until))) return undefined
    const { viewer } = await findStarter(deps, work)
    const next = await pieces[work.phase]({ deps, work, viewer }, turn)
    if (next === 'over') return undefined
    const seconds = next === 'wait' ? toWait(work) : 0
    const dueAt = new Date(deps.clock.now().getTime() + seconds * 1_000)
    return { dueAt, waits: next === 'wait' ? work.waits + 1 : 0, waiting: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return toPause({ deps, work }, error)
  }
}

/** Distillations as leased work. */
export const createDistillationWork = (deps: DistillDeps): LeasedWork<LeasedDistillation, WorkOutcome> => ({
  name: 'distill runs',
  maxTurns: 2,
  maxTurnsOfOrganization: 1,
  leaseSeconds,
  maxKeys: 200,
  topic: 'distillations:',
  isLocal: true,
  lease: (request) => leaseDistillations(deps.db, request),
  run: async (work, turn) => {
    const outcome = await workOnce(deps, work, turn)
    if (!outcome) return false
    await turn.storeOutcome(outcome)
    return outcome.waits === 0
  },
  storeOutcomes: (settlements) => storeWorkOutcomes(deps.db, 'distillations', settlements),
  dueKeys: (page) => selectDueKeys({ table: 'distillations', key: 'organization_id' }, page),
})
