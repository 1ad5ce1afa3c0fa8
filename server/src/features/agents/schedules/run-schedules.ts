import type { Limits } from '../../../config/config.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { LeasedWork } from '../../../shared/concurrency/leased-work.ts'
import type { Topics } from '../../../shared/concurrency/topics.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import type { RunStore } from '../runs/run-store.ts'
import { startRun } from '../runs/start-run.ts'
import { findNext } from './cron.ts'
import { type LeasedSchedule, leaseSchedules, type Outcome, storeScheduleOutcomes } from './lease-queries.ts'
import type { ScheduledWork } from './targets.ts'

// A due schedule starts its run, or other work, before its outcome is stored, under an idempotency key of the schedule and the instant:
// if a node dies in between, another repeats it and finds what was started.

type Deps = {
  db: Db
  keyedDb: Db
  runs: RunStore
  prepared: RunPrepared
  clock: Clock
  topics: Pick<Topics, 'publish'>
  limits: Pick<Limits, 'caps' | 'schedules'>
  scheduledWork: Pick<ScheduledWork, 'start'>
}

/** A cap is tried again after this long: it may be raised before the day ends. */
const maxPauseMilliseconds = 300_000

/** The next instant after a run, no sooner than schedules may run. */
const findFollowing = (
  { limits }: { limits: Pick<Limits, 'schedules'> },
  { cron, timezone }: Pick<LeasedSchedule, 'cron' | 'timezone'>,
  now: Date,
): Date | undefined => findNext(cron, timezone, new Date(now.getTime() + limits.schedules.minMinutes * 60_000 - 60_000))

const startAgent = async (deps: Deps, schedule: LeasedSchedule): Promise<string | null> => {
  const { createdBy, agentId, input } = schedule
  const { userId } = createdBy
  if (agentId === null || input === null) return null
  try {
    const { run } = await startRun(deps, {
      organizationId: schedule.organization,
      actor: { type: 'system', id: schedule.id, ...(userId === undefined ? {} : { userId }) },
      agentId,
      input,
      scheduleId: schedule.id,
      idempotencyKey: schedule.nextAt.toISOString(),
    })
    return run.id
  } catch (error) {
    // The schedule was changed between the start of this run and the storing of its outcome.
    if (error instanceof ApiError && error.code === 'idempotency_key_reused') return null
    throw error
  }
}

const start = (deps: Deps, schedule: LeasedSchedule): Promise<string | null> => {
  const { organization: organizationId, id: scheduleId, nextAt: at, target, actsFor, createdBy } = schedule
  if (target === null) return startAgent(deps, schedule)
  return deps.scheduledWork.start({ organizationId, scheduleId, at, actsFor: actsFor ?? createdBy }, target)
}

/** Refusals that end by themselves: other work of the organization is under way, or the eval is being changed. */
const passing: readonly string[] = ['too_many_eval_runs', 'too_many_distillations', 'stale_version']

/** Why no run can be started now, and when to try again: a cap allows more in time, anything else waits to be changed. */
const toPause = ({ nextAt }: LeasedSchedule, error: ApiError, now: Date): Outcome => {
  const isTransient =
    error.kind === 'rate_limited' || error.kind === 'unavailable' || passing.includes(error.code ?? '')
  const wait = Math.min((error.retryAfterSeconds ?? 60) * 1000, maxPauseMilliseconds)
  const dueAt = isTransient ? new Date(now.getTime() + wait) : null
  return { nextAt, dueAt, lastRunId: null, lastFiredAt: null, pausedReason: error.message }
}

const runOnce = async (deps: Deps, schedule: LeasedSchedule): Promise<Outcome> => {
  const now = deps.clock.now()
  try {
    const lastRunId = await start(deps, schedule)
    // The next is one that is yet to come: of what was missed meanwhile, this was the one run.
    const nextAt = findFollowing(deps, schedule, now) ?? null
    return { nextAt, dueAt: nextAt, lastRunId, lastFiredAt: now, pausedReason: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return toPause(schedule, error, now)
  }
}

/** Schedules as leased work: each time starts one run, or other work. */
export const createScheduleWork = (deps: Deps): LeasedWork<LeasedSchedule, Outcome> => ({
  name: 'run schedules',
  maxTurns: 16,
  leaseSeconds: 30,
  maxKeys: 200,
  isLocal: true,
  lease: (request) => leaseSchedules(deps.db, request),
  run: async (schedule, turn) => {
    await turn.storeOutcome(await runOnce(deps, schedule))
    return false
  },
  storeOutcomes: (settlements) => storeScheduleOutcomes(deps.prepared, settlements),
  dueKeys: (page) => selectDueKeys({ table: 'schedules', key: 'organization_id' }, page),
})
