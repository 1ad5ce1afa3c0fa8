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
import { selectLiveAgents } from '../agents/agent-queries.ts'
import { archivedAgent, findAgent, unknownAgent } from '../agents/agents.ts'
import { findNext, isCron } from './cron.ts'
import { isTimezone } from './local-time.ts'
import {
  countSchedules,
  insertSchedule,
  removeSchedule,
  type ScheduleRow,
  selectSchedule,
  selectSchedules,
  updateSchedule,
} from './schedule-queries.ts'

// Schedules are set up here and run by `run-schedules.ts`. Changing one takes its lease away.

type Deps = { db: Db; clock: Clock; limits: Pick<Limits, 'schedules'> }
type Target = { organizationId: string; id: string }
type Acting = Target & { by: Actor }

/** The audit log's entry of an act on a schedule: its times and agent, but not the agent's input. */
const toAct = ({ organizationId, id, by }: Acting, action: AuditAction) => ({
  ...{ organizationId, by, action },
  target: { type: 'schedule', id },
})

type Kept = Pick<ScheduleRow, 'agentId' | 'cron' | 'timezone' | 'enabled'>
const toKept = ({ agentId, cron, timezone, enabled }: Kept) => ({ agentId, cron, timezone, enabled })
type Times = Pick<ScheduleRow, 'cron' | 'timezone'>

/** The refusal of an id that no schedule of the organization has. */
export const noSuchSchedule = (id: string) => notFound(`This organization has no schedule ${JSON.stringify(id)}.`)

const archivedReason = 'Its agent is archived. Name another agent.'

const scheduleView = ({ nextAt, pausedReason, ...row }: ScheduleRow, isAgentLive: boolean): Schedule => {
  const reason = isAgentLive ? pausedReason : archivedReason
  return {
    ...row,
    nextRunAt: nextAt?.toISOString() ?? null,
    lastFiredAt: row.lastFiredAt?.toISOString() ?? null,
    ...(row.enabled && reason !== null ? { paused: { reason } } : {}),
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

const checkAgent = async (
  tx: Tx,
  { organizationId, by }: Pick<Acting, 'organizationId' | 'by'>,
  agentId: string,
): Promise<void> => {
  const agent = await findAgent(tx, organizationId, agentId, { lock: true, viewer: by.userId })
  if (!agent) throw unknownAgent(['agentId'], agentId)
  if (agent.archivedAt !== null) throw archivedAgent()
}

const toView = async (db: Queryable, organizationId: string, row: ScheduleRow): Promise<Schedule> =>
  scheduleView(row, (await selectLiveAgents(db, organizationId, [row.agentId])).length > 0)

/** A schedule. */
export const readSchedule = async (db: Queryable, { organizationId, id }: Target): Promise<Schedule> => {
  const row = await selectSchedule(db, organizationId, id)
  if (!row) throw noSuchSchedule(id)
  return toView(db, organizationId, row)
}

/** Makes a schedule. */
export const makeSchedule = (
  deps: Deps,
  { organizationId, createdBy }: { organizationId: string; createdBy: Actor },
  given: BodyOutput<typeof createSchedule>,
): Promise<Schedule> => {
  const now = deps.clock.now()
  const { max, minMinutes } = deps.limits.schedules
  const first = findFirst(given, { now, minMinutes })
  return deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, { organizationId })
    await checkAgent(tx, { organizationId, by: createdBy }, given.agentId)
    if ((await countSchedules(tx, organizationId)) >= max)
      throw conflict(`This organization has ${max} schedules, which is the maximum. Delete one first.`, {
        code: 'too_many_schedules',
      })
    const id = newId('sch', now)
    const act = toAct({ organizationId, id, by: createdBy }, 'schedule.created')
    await addAudit(tx, { ...act, after: toKept(given) }, now)
    await insertSchedule(tx, { ...given, id, organizationId, createdBy, now, nextAt: given.enabled ? first : null })
    return readSchedule(tx, { organizationId, id })
  })
}

/** A page of an organization's schedules, all or those of an agent. */
export const listSchedulePage = async (
  { db }: Pick<Deps, 'db'>,
  organizationId: string,
  filter: Parameters<typeof selectSchedules>[2],
  page: PageRequest<string>,
): Promise<Schedule[]> => {
  const rows = await selectSchedules(db, organizationId, filter, page)
  const agents = rows.map((row) => row.agentId)
  const live = new Set(await selectLiveAgents(db, organizationId, agents))
  return rows.map((row) => scheduleView(row, live.has(row.agentId)))
}

/**
 * Changes a schedule. With other times, or enabled again, it begins with the next one; otherwise it goes on, also with a due one.
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
    const { agentId = former.agentId, cron = former.cron, timezone = former.timezone } = given
    const { input = former.input, enabled = former.enabled } = given
    if (agentId !== former.agentId || (enabled && !former.enabled))
      await checkAgent(tx, { organizationId, by }, agentId)
    const isMoved = cron !== former.cron || timezone !== former.timezone
    const begins = isMoved || !former.enabled || former.nextAt === null
    const first = begins ? findFirst({ cron, timezone }, { now, minMinutes: deps.limits.schedules.minMinutes }) : null
    const nextAt = enabled ? (first ?? former.nextAt) : null
    const act = toAct({ organizationId, id, by }, 'schedule.changed')
    const after = toKept({ agentId, cron, timezone, enabled })
    await addAuditOfChange(tx, { ...act, before: toKept(former), after }, now)
    await updateSchedule(tx, { organizationId, id, agentId, cron, timezone, input, enabled, nextAt, now })
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
