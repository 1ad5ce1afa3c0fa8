import type { AuditAction } from '@noema/contracts/audit.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { createSchedule, patchSchedule, Schedule } from '@noema/contracts/schedules.ts'
import type { Limits } from '../../../config/config.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, invalidArgument, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { archivedAgent, findAgent, unknownAgent } from '../agents/agents.ts'
import { findNext, isCron } from './cron.ts'
import { isTimezone } from './local-time.ts'
import type { Lost } from './lost-target-queries.ts'
import {
  countSchedules,
  insertSchedule,
  removeSchedule,
  type ScheduleRow,
  selectSchedule,
  selectSchedules,
  updateSchedule,
} from './schedule-queries.ts'
import { chooseTarget, type ScheduledWork } from './targets.ts'

// Schedules are set up here and run by `run-schedules.ts`. Changing one takes its lease away.

type Deps = {
  db: Db
  clock: Clock
  limits: Pick<Limits, 'schedules'>
  scheduledWork: Pick<ScheduledWork, 'check'>
}
type Key = { organizationId: string; id: string }
type Acting = Key & { by: Actor }

/** The audit log's entry of an act on a schedule: its times and target, but not the input of an agent. */
const toAct = ({ organizationId, id, by }: Acting, action: AuditAction) => ({
  ...{ organizationId, by, action },
  target: { type: 'schedule', id },
})

type Target = Pick<ScheduleRow, 'agentId' | 'input' | 'target' | 'actsFor'>
type Times = Pick<ScheduleRow, 'cron' | 'timezone'>
type Kept = Pick<ScheduleRow, 'agentId' | 'target' | 'cron' | 'timezone' | 'enabled'>

const toKept = ({ agentId, target, cron, timezone, enabled }: Kept) => ({
  ...(agentId === null ? {} : { agentId }),
  ...(target && ('evalId' in target ? { evalId: target.evalId } : { distillation: target.distillation.into })),
  ...{ cron, timezone, enabled },
})

/** The refusal of an id that no schedule of the organization has. */
export const noSuchSchedule = (id: string) => notFound(`This organization has no schedule ${JSON.stringify(id)}.`)

const lostReasons: Record<NonNullable<Lost>, string> = {
  agent: 'Its agent is archived. Name another agent.',
  eval: 'Its eval is archived or deleted. Name another eval.',
  brain: 'The Brain that gets its lessons and skills is deleted. Name another one.',
}

const toTargetView = ({ agentId, input, target, actsFor }: Target) => ({
  ...(agentId === null ? {} : { agentId }),
  ...(input === null ? {} : { input }),
  ...(target && ('evalId' in target ? target : { distillation: target.distillation })),
  ...(actsFor === null ? {} : { actsFor: summarizeActor(actsFor) }),
})

const toView = (row: ScheduleRow): Schedule => {
  const { id, cron, timezone, enabled, nextAt, lastRunId, lastFiredAt, lost } = row
  const reason = lost === null ? row.pausedReason : lostReasons[lost]
  return {
    ...{ id, ...toTargetView(row), cron, timezone, enabled, lastRunId },
    nextRunAt: nextAt?.toISOString() ?? null,
    lastFiredAt: lastFiredAt?.toISOString() ?? null,
    ...(enabled && reason !== null ? { paused: { reason } } : {}),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    createdBy: summarizeActor(row.createdBy),
  }
}

/** So many times of an expression are compared to find the shortest interval. */
const maxExamined = 12

/** The first instant of a schedule. Throws where its expression or zone is none, or comes never, or too often. */
const findFirst = ({ cron, timezone }: Times, { now, minMinutes }: { now: Date; minMinutes: number }): Date => {
  if (!isTimezone(timezone))
    throw invalidArgument(['timezone'], 'There is no such time zone. Give its IANA name, such as Europe/Berlin or UTC.')
  if (!isCron(cron))
    throw invalidArgument(
      ['cron'],
      'This is no cron expression: five fields (minute, hour, day of month, month, day of week), such as 0 9 * * 1-5.',
    )
  const first = findNext(cron, timezone, now)
  if (!first) throw invalidArgument(['cron'], 'This time never comes. See that the month has such a day.')
  let last = first
  for (let count = 1; minMinutes > 1 && count < maxExamined; count++) {
    const next = findNext(cron, timezone, last)
    if (!next) break
    if (next.getTime() - last.getTime() < minMinutes * 60_000)
      throw invalidArgument(
        ['cron'],
        `Runs of one schedule lie at least ${minMinutes} minutes apart. Name fewer times.`,
      )
    last = next
  }
  return first
}

type By = Pick<Acting, 'organizationId' | 'by'>

const checkAgent = async (tx: Tx, { organizationId, by }: By, agentId: string): Promise<void> => {
  const agent = await findAgent(tx, organizationId, agentId, { lock: true, viewer: by.userId })
  if (!agent) throw unknownAgent(['agentId'], agentId)
  if (agent.archivedAt !== null) throw archivedAgent()
}

/** Refuses a target that the caller could not start. An eval or a distillation then acts for the caller. */
const checkTarget = async (
  { scheduledWork }: Pick<Deps, 'scheduledWork'>,
  tx: Tx,
  { organizationId, by }: By,
  chosen: ReturnType<typeof chooseTarget>,
): Promise<Target> => {
  if ('agentId' in chosen) {
    await checkAgent(tx, { organizationId, by }, chosen.agentId)
    return { ...chosen, target: null, actsFor: null }
  }
  const target = await scheduledWork.check(tx, { organizationId, viewer: by.userId }, chosen)
  return { agentId: null, input: null, target, actsFor: by }
}

/** The target of a changed schedule, checked if the change can have it start something else, or again. */
const changeTarget = async (
  deps: Deps,
  tx: Tx,
  { former, by, organizationId }: By & { former: ScheduleRow },
  given: BodyOutput<typeof patchSchedule>,
): Promise<Target> => {
  const { agentId, input, target, actsFor, enabled: wasEnabled } = former
  const chosen = chooseTarget(given, {
    ...(agentId === null ? {} : { agentId }),
    ...(input ? { input } : {}),
    ...target,
  })
  const { enabled = wasEnabled } = given
  const isSameAgent = 'agentId' in chosen && chosen.agentId === agentId
  if (isSameAgent && !(enabled && !wasEnabled)) return { ...chosen, target: null, actsFor: null }
  const isNamed = given.evalId !== undefined || given.trials !== undefined || given.distillation !== undefined
  // A person who may not start it can still stop it.
  if (target && !enabled && !isNamed && !('agentId' in chosen)) return { agentId: null, input: null, target, actsFor }
  return checkTarget(deps, tx, { organizationId, by }, chosen)
}

/** A schedule. */
export const readSchedule = async (db: Queryable, { organizationId, id }: Key): Promise<Schedule> => {
  const row = await selectSchedule(db, organizationId, id)
  if (!row) throw noSuchSchedule(id)
  return toView(row)
}

/** A new schedule in the caller's transaction, whose target is checked. */
export const addSchedule = async (
  tx: Tx,
  { limits, clock }: Pick<Deps, 'limits' | 'clock'>,
  { organizationId, createdBy }: Making,
  given: Times & Target & { enabled: boolean },
): Promise<string> => {
  const now = clock.now()
  const { max, minMinutes } = limits.schedules
  const first = findFirst(given, { now, minMinutes })
  if ((await countSchedules(tx, organizationId)) >= max)
    throw conflict(`This organization has ${max} schedules, which is the maximum. Delete one first.`, {
      code: 'too_many_schedules',
    })
  const id = newId('sch', now)
  const act = toAct({ organizationId, id, by: createdBy }, 'schedule.created')
  await addAudit(tx, { ...act, after: toKept(given) }, now)
  await insertSchedule(tx, { ...given, id, organizationId, createdBy, now, nextAt: given.enabled ? first : null })
  return id
}

type Making = { organizationId: string; createdBy: Actor }

/** Makes a schedule. */
export const makeSchedule = (
  deps: Deps,
  making: Making,
  given: BodyOutput<typeof createSchedule>,
): Promise<Schedule> => {
  const { organizationId, createdBy } = making
  const chosen = chooseTarget(given, {})
  findFirst(given, { now: deps.clock.now(), minMinutes: deps.limits.schedules.minMinutes })
  return deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, { organizationId })
    const target = await checkTarget(deps, tx, { organizationId, by: createdBy }, chosen)
    const { cron, timezone, enabled } = given
    const id = await addSchedule(tx, deps, making, { ...target, cron, timezone, enabled })
    return readSchedule(tx, { organizationId, id })
  })
}

/** A page of an organization's schedules, all or those of an agent or an eval. */
export const listSchedulePage = async (
  { db }: Pick<Deps, 'db'>,
  organizationId: string,
  filter: Parameters<typeof selectSchedules>[2],
  page: PageRequest<string>,
): Promise<Schedule[]> => (await selectSchedules(db, organizationId, filter, page)).map(toView)

/**
 * Changes a schedule. An eval or a distillation then acts for the caller: otherwise a person could change what is done with the
 * access of another. With other times, or enabled again, it begins with the next one; otherwise it goes on, also with a due one.
 */
export const changeSchedule = (
  deps: Deps,
  { organizationId, id, by }: Acting,
  given: BodyOutput<typeof patchSchedule>,
): Promise<Schedule> =>
  deps.db.transaction().execute(async (tx) => {
    const former = await selectSchedule(tx, organizationId, id, { lock: true })
    if (!former) throw noSuchSchedule(id)
    const now = deps.clock.now()
    const { cron = former.cron, timezone = former.timezone, enabled = former.enabled } = given
    const target = await changeTarget(deps, tx, { organizationId, by, former }, given)
    const isMoved = cron !== former.cron || timezone !== former.timezone
    const begins = isMoved || !former.enabled || former.nextAt === null
    const first = begins ? findFirst({ cron, timezone }, { now, minMinutes: deps.limits.schedules.minMinutes }) : null
    const nextAt = enabled ? (first ?? former.nextAt) : null
    const act = toAct({ organizationId, id, by }, 'schedule.changed')
    const after = toKept({ ...target, cron, timezone, enabled })
    await addAuditOfChange(tx, { ...act, before: toKept(former), after }, now)
    await updateSchedule(tx, { organizationId, id, ...target, cron, timezone, enabled, nextAt, now })
    return readSchedule(tx, { organizationId, id })
  })

/** Deletes a schedule; it starts nothing any more. */
export const deleteSchedule = ({ db, clock }: Pick<Deps, 'db' | 'clock'>, acting: Acting): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { organizationId, id } = acting
    const former = await selectSchedule(tx, organizationId, id, { lock: true })
    if (!former || !(await removeSchedule(tx, organizationId, id))) throw noSuchSchedule(id)
    await addAudit(tx, { ...toAct(acting, 'schedule.deleted'), before: toKept(former) }, clock.now())
  })
