import type { Limits } from '../../../config/config.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Turn } from '../../../shared/concurrency/leased-work.ts'
import type { Topics } from '../../../shared/concurrency/topics.ts'
import { ApiError } from '../../../shared/errors.ts'
import { toTraceparent } from '../../../shared/tracing/trace-context.ts'
import type { Tracer } from '../../../shared/tracing/tracer.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type EventPage, readPage, splitEvents } from '../../kernel/stream/stream.ts'
import { selectChangesOfRecords } from '../../knowledge/records/record-queries.ts'
import { decodeCursor } from '../../platform/cursors/cursors.ts'
import { selectCausingRuns } from '../../writing/commit/change-store.ts'
import { selectTraces } from '../../writing/commit/trace-queries.ts'
import { countOpenRuns, selectLineages } from '../runs/run-queries.ts'
import type { RunStore } from '../runs/run-store.ts'
import { startRun } from '../runs/start-run.ts'
import { type FiringEvent, firingTypes, isWatched, toLineage } from './firing-events.ts'
import type { LeasedTrigger, Outcome, Progress } from './lease-queries.ts'
import { toRunInput } from './run-input.ts'

// One trigger's work on this node: it examines the events in their order, and each that it watches starts one run. The run starts
// before the outcome is stored, under an idempotency key of the trigger and the event: if a node dies in between, another repeats
// it and finds the run.

export type FireDeps = {
  db: Db
  isDivided: boolean
  keyedDb: Db
  runs: RunStore
  prepared: RunPrepared
  clock: Clock
  topics: Pick<Topics, 'publish'>
  limits: Pick<Limits, 'caps' | 'triggers'>
  tracer: Tracer | undefined
}

const eventsPerPage = 100
/** The maximum duration of one batch of events, which is shorter than the lease. */
const turnMilliseconds = 10_000
/** A trigger with its maximum of open runs tries again after this long. */
const fullMilliseconds = 1_000
/** A cap is tried again after this long: it may be raised before the day ends. */
const maxPauseMilliseconds = 300_000

const later = (time: Date, milliseconds: number) => new Date(time.getTime() + milliseconds)

type Firing = {
  deps: FireDeps
  trigger: LeasedTrigger
  turn: Turn<Outcome>
  progress: Progress
  /** The number of runs that this turn has started, and of the trigger's runs that are open. */
  started: number
  open: number
  end: Date
}

const storeOutcome = (
  { turn, progress }: Firing,
  next: Outcome['next'],
  { dueAt = null, pausedReason = null }: Partial<Outcome> = {},
): Promise<boolean> => turn.storeOutcome({ ...progress, next, dueAt, pausedReason })

const parseEvents = (page: EventPage): FiringEvent[] => splitEvents(page).map((text) => JSON.parse(text) as FiringEvent)

const toPosition = ({ cursor }: FiringEvent): number => Number(decodeCursor(cursor)?.place)

/** The change of each event; that of a date is the one that wrote the record. */
const findChanges = async ({ deps, trigger }: Firing, events: readonly FiringEvent[]) => {
  const dated = events.flatMap(({ type, data }) => (type === 'date.reached' ? [data.record.id] : []))
  const ofRecords = await selectChangesOfRecords(deps.db, trigger.brainId, dated)
  return events.map(({ type, data }) => (type === 'date.reached' ? ofRecords.get(data.record.id) : data.change))
}

/** The lineages of the runs behind each event. */
const findLag = async (firing: Firing, events: readonly FiringEvent[]): Promise<string[][][]> => {
  const { deps, trigger } = firing
  const changes = await findChanges(firing, events)
  const named = [...new Set(changes.filter((change) => change !== undefined))]
  const runs = await selectCausingRuns(deps.db, trigger.brainId, named)
  const ids = [...new Set(runs.map(({ runId }) => runId))]
  const lineages = new Map(
    (await selectLineages(deps.db, trigger.organization, ids)).map((row) => [row.id, row.lineage]),
  )
  return changes.map((change) =>
    runs.filter((run) => run.change === change).map(({ runId }) => lineages.get(runId) ?? []),
  )
}

/** The trace of the write behind an event, which its run continues. */
const findTraceparent = async ({ db, tracer }: FireDeps, { brainId }: LeasedTrigger, event: FiringEvent) => {
  if (!tracer || !('change' in event.data)) return undefined
  const { change } = event.data
  const trace = (await selectTraces(db, brainId, [change])).get(change)
  return trace && toTraceparent(trace)
}

/** The run of an event; undefined if an earlier event with the same key, by the trigger's former definition, has lost its run. */
const fire = async ({ deps, trigger }: Firing, event: FiringEvent, lineage: readonly string[]) => {
  const { userId } = trigger.createdBy
  try {
    const { run } = await startRun(deps, {
      organizationId: trigger.organization,
      actor: { type: 'system', id: trigger.id, ...(userId === undefined ? {} : { userId }) },
      agentId: trigger.agentId,
      input: toRunInput(trigger, event),
      trigger: { id: trigger.id, cursor: event.cursor },
      traceparent: await findTraceparent(deps, trigger, event),
      lineage,
      maxAccess: trigger.requiredAccess,
    })
    return run.id
  } catch (error) {
    // The trigger was changed between the start of this run and the storing of its outcome.
    if (error instanceof ApiError && error.code === 'idempotency_key_reused') return undefined
    throw error
  }
}

/** Stops before an event that no run can be started for now, and says why. A cap is tried again; anything else waits to be changed. */
const pause = async (firing: Firing, error: ApiError): Promise<void> => {
  const { retryAfterSeconds, message, kind } = error
  const isTransient = kind === 'rate_limited' || kind === 'unavailable'
  const wait = Math.min((retryAfterSeconds ?? 60) * 1000, maxPauseMilliseconds)
  const dueAt = isTransient ? later(firing.deps.clock.now(), wait) : null
  await storeOutcome(firing, 'wait', { dueAt, pausedReason: message })
}

/** The pause before the trigger's next run, with its reason if people should see it. */
const findWait = ({ deps, turn, started, open, end }: Firing): Partial<Outcome> | undefined => {
  const now = deps.clock.now()
  const { perSecond, maxOpen } = deps.limits.triggers
  if (turn.stopping.aborted || now >= end) return { dueAt: now }
  if (started >= perSecond) return { dueAt: later(now, 1_000) }
  if (open < maxOpen) return undefined
  const pausedReason = `${maxOpen} of its runs have not ended, which is the maximum. It goes on when one of them has.`
  return { dueAt: later(now, fullMilliseconds), pausedReason }
}

/** Examines one event. False if the lease is given back or lost. */
const examine = async (firing: Firing, event: FiringEvent, behind: readonly string[][]): Promise<boolean> => {
  const lineage = isWatched(firing.trigger, event) ? toLineage(firing.trigger.id, behind) : undefined
  if (lineage !== undefined) {
    const wait = findWait(firing)
    if (wait) {
      await storeOutcome(firing, 'wait', wait)
      return false
    }
    try {
      const runId = await fire(firing, event, lineage)
      const lastFiredAt = firing.deps.clock.now()
      firing.progress = { examined: toPosition(event), lastRunId: runId ?? null, lastFiredAt }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      await pause(firing, error)
      return false
    }
    firing.started++
    firing.open++
    return storeOutcome(firing, 'keep')
  }
  firing.progress = { ...firing.progress, examined: toPosition(event) }
  return true
}

/** Examines the events of a page. False if the lease is given back or lost. */
const examinePage = async (firing: Firing, page: EventPage): Promise<boolean> => {
  const events = parseEvents(page)
  const behind = await findLag(firing, events)
  for (const [index, event] of events.entries()) if (!(await examine(firing, event, behind[index] ?? []))) return false
  firing.progress = { ...firing.progress, examined: page.examined }
  if (page.hasMore) return storeOutcome(firing, 'keep')
  // Started runs count against the rate before the next step.
  const { started, deps } = firing
  if (started === 0) return storeOutcome(firing, 'release')
  await storeOutcome(firing, 'wait', {
    dueAt: later(deps.clock.now(), Math.ceil((started * 1000) / deps.limits.triggers.perSecond)),
  })
  return false
}

/** Fires a trigger until no event is left, it must wait, or the lease is lost. */
export const fireInOrder = async (deps: FireDeps, trigger: LeasedTrigger, turn: Turn<Outcome>): Promise<boolean> => {
  const firing: Firing = {
    ...{ deps, trigger, turn, started: 0 },
    progress: { examined: trigger.examined, lastRunId: null, lastFiredAt: null },
    open: await countOpenRuns(deps.db, trigger.organization, trigger.id),
    end: later(deps.clock.now(), turnMilliseconds),
  }
  for (;;) {
    const { examined: after } = firing.progress
    const page = await readPage(deps.prepared, trigger.brainId, { after, limit: eventsPerPage, types: firingTypes })
    if (!(await examinePage(firing, page))) return false
    if (turn.stopping.aborted || deps.clock.now() >= firing.end) {
      await storeOutcome(firing, 'wait', { dueAt: deps.clock.now() })
      return false
    }
  }
}
