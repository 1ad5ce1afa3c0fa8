import { randomUUID } from 'node:crypto'
import type {
  Distillation,
  DistilledItem,
  ScheduledDistillation,
  startDistillation,
} from '@noema/contracts/distillations.ts'
import { maxDistilledRuns } from '@noema/contracts/distillations.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Limits } from '../../../config/config.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { distillationsTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict, invalidArgument, notFound, type Path, unknownReference } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { endWork } from '../../../storage/organization-work-queries.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { findAgent, unknownAgent } from '../../agents/agents/agents.ts'
import { forgetAfterDays, type Retention } from '../../agents/run-keeping/run-keeping.ts'
import { selectTier } from '../../agents/runs/start-queries.ts'
import { findCaps } from '../../agents/runs/start-run.ts'
import { takeRuns } from '../../agents/runs/take-runs.ts'
import { addSchedule } from '../../agents/schedules/schedules.ts'
import { selectStarted } from '../../agents/schedules/started-queries.ts'
import type { ScheduledFor } from '../../agents/schedules/targets.ts'
import { selectIdsByHandles } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { findOpenBrains } from '../../retrieval/corpora/corpora.ts'
import { checkReaders, openTarget } from './check-target.ts'
import {
  deleteOfBrain,
  deleteOld,
  insertDistillation,
  lockOpen,
  selectDistillation,
  selectDistillations,
} from './distillation-queries.ts'
import { selectItems } from './item-queries.ts'
import { selectBrainsBehind, selectRunIds } from './source-queries.ts'
import type { DistillationKey, DistillationRow, ItemRow } from './types.ts'

// Distillations are started, read and canceled here; `run-distillations.ts` works on them.

type Deps = { db: Db; clock: Clock; limits: Pick<Limits, 'caps'>; topics: Pick<Topics, 'publish'> }
type Acting = { organizationId: string; by: Actor; viewer: Viewer }
type Given = BodyOutput<typeof startDistillation>
type Request = ScheduledDistillation

const dayMilliseconds = 86_400_000

/** The refusal of an id that no distillation of the organization has. */
export const noSuchDistillation = (id: string) =>
  notFound(`This organization has no distillation ${JSON.stringify(id)}.`)

const toView = (row: DistillationRow, brain: string | null): Distillation => {
  const { id, state, definition, runs, read, found, staged, waiting, failureReason } = row
  const { from, produce, model, allowWider } = definition
  return {
    ...{ id, state, from, brain, produce, model: model?.id ?? null, allowWider, runs, read, found, staged },
    ...(waiting === null ? {} : { waiting }),
    ...(failureReason === null ? {} : { failureReason }),
    startedBy: summarizeActor(row.startedBy),
    createdAt: row.createdAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}

const toViews = async (
  db: Db,
  { organizationId, viewer }: { organizationId: string; viewer: Viewer },
  rows: readonly DistillationRow[],
): Promise<Distillation[]> => {
  const find = findOpenBrains({ db }, { organizationId, viewer })
  const brains = await find([...new Set(rows.map(({ brain }) => brain))])
  return rows.map((row) => toView(row, brains.get(row.brain)?.handle ?? null))
}

const toItemView = ({ type, item, content, outcome, change, note }: ItemRow): DistilledItem => {
  const { finding, seen, citations, flags, wordedBy } = content
  const summary = 'lesson' in content ? content.lesson.situation : content.description
  return {
    ...{ type, id: item, finding, summary, outcome, change, flags, wordedBy, seen, citations },
    ...(note === null ? {} : { note }),
  }
}

const findDistillation = async (db: Queryable, key: DistillationKey): Promise<DistillationRow> => {
  const row = await selectDistillation(db, key)
  if (!row) throw noSuchDistillation(key.id)
  return row
}

const readOne = async (db: Db, key: DistillationKey, viewer: Viewer): Promise<Distillation> => {
  const row = await findDistillation(db, key)
  const [view] = await toViews(db, { organizationId: key.organizationId, viewer }, [row])
  if (!view) throw noSuchDistillation(key.id)
  return view
}

/** A distillation with what it found. */
export const readDistillation = async ({ db }: Pick<Deps, 'db'>, key: DistillationKey, viewer: Viewer) => ({
  distillation: await readOne(db, key, viewer),
  items: (await selectItems(db, key)).map(toItemView),
})

/** A page of the distillations that a viewer may see. */
export const listDistillationPage = async (
  { db }: Pick<Deps, 'db'>,
  place: { organizationId: string; viewer: Viewer },
  page: PageRequest<string>,
): Promise<Distillation[]> =>
  toViews(db, place, await selectDistillations(db, place.organizationId, place.viewer, page))

/** The id of the Brain that gets what is found. `at`: the place of the request in the call. */
export const findInto = async (
  db: Queryable,
  { organizationId, viewer }: Pick<Acting, 'organizationId' | 'viewer'>,
  { into: { brain: handle } }: Pick<Request, 'into'>,
  at: Path = [],
): Promise<string> => {
  const id = (await selectIdsByHandles(db, organizationId, [handle], viewer)).get(handle)
  if (id === undefined) throw unknownReference([...at, 'into', 'brain'], noSuchBrain(handle).message)
  return id
}

/** A repeated request would read the same single runs each time. */
export const refuseSingleRuns = ({ from }: Pick<Request, 'from'>, at: Path): void => {
  if (from.runs !== undefined)
    throw invalidArgument(
      [...at, 'from', 'runs'],
      'A schedule does not repeat single runs. Say which runs by agentId, sinceDays or outcome.',
    )
}

/** The agent whose model words lessons, in its newest version. It has nothing that a text could make it use. */
export const findModel = async (
  db: Queryable,
  { organizationId, viewer }: Pick<Acting, 'organizationId' | 'viewer'>,
  id: string,
  at: Path = [],
) => {
  const agent = await findAgent(db, organizationId, id, { viewer })
  if (!agent) throw unknownAgent([...at, 'model'], id)
  if (agent.archivedAt !== null) throw invalidArgument([...at, 'model'], 'This agent is archived. Name another one.')
  const { tools, brains, corpora = [], skills = [] } = agent.definition
  if (tools.length + brains.length + corpora.length + skills.length > 0)
    throw invalidArgument(
      [...at, 'model'],
      'The agent that words lessons has no tools, Brains, corpora and skills, so that nothing in a journal can make it do anything. Name another one.',
    )
  return { id, version: agent.version }
}

const findRuns = async (db: Db, acting: Acting, { from }: Pick<Request, 'from'>, now: Date): Promise<string[]> => {
  const { sinceDays, ...filter } = from
  const since =
    sinceDays === undefined ? from.since : new Date(now.getTime() - sinceDays * dayMilliseconds).toISOString()
  const found = await selectRunIds(db, acting, { ...filter, since }, maxDistilledRuns)
  const missing = from.runs?.findIndex((id) => !found.includes(id)) ?? -1
  if (missing >= 0 && from.agentId === undefined && since === undefined && from.outcome === undefined)
    throw unknownReference(['from', 'runs', missing], 'This organization has no run of this id that has ended.')
  return found
}

const checkOpen = async (tx: Tx, organizationId: string, open: number, { limits }: Deps): Promise<void> => {
  const caps = findCaps(limits, await selectTier(tx, organizationId))
  if (caps && open >= caps.distillations)
    throw conflict(
      `This organization has ${caps.distillations} unfinished distillations, which is the maximum. Wait for one.`,
      { code: 'too_many_distillations' },
    )
}

/** Runs of the journals of which one counts as a run of the day. */
const runsOfRun = 100

/** The parts of a request, looked up as its starter may see them. */
const lookUp = async (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  acting: Acting,
  { request, brain }: { request: Request; brain: string },
) => {
  const { organizationId, viewer } = acting
  const target = await openTarget(db, { organizationId, brain, viewer })
  const model = request.model === undefined ? null : await findModel(db, acting, request.model)
  const runIds = await findRuns(db, acting, request, clock.now())
  const sources = await selectBrainsBehind(db, organizationId, runIds)
  const { from, allowWider } = request
  const definition = { from, produce: [...new Set(request.produce)], allowWider, model, seed: randomUUID() }
  return { target, runIds, sources, definition }
}

/** `also`: what is stored in the transaction of the start. `scheduled`: the schedule and the instant, which have one distillation. */
type Begun = { also?: (tx: Tx) => Promise<void>; scheduled?: ScheduledFor }

/** Starts a distillation into a Brain: the runs that it reads are fixed now. One that was started for the same instant is found instead. */
export const beginInto = async (
  deps: Deps,
  acting: Acting,
  asked: { request: Request; brain: string },
  { also, scheduled }: Begun = {},
): Promise<string> => {
  const { organizationId, by } = acting
  const { clock } = deps
  const { target, runIds, sources, definition } = await lookUp(deps, acting, asked)
  const id = newId('dst', clock.now())
  const started = await deps.db.transaction().execute(async (tx) => {
    const now = clock.now()
    if (by.type !== 'system') await holdAccess(tx, by, { organizationId })
    const open = await lockOpen(tx, organizationId)
    const former = scheduled && (await selectStarted(tx, 'distillations', organizationId, scheduled))
    if (former !== undefined) return former
    await checkOpen(tx, organizationId, open, deps)
    await checkReaders({ db: tx, clock }, { into: target.brainId, sources, allowWider: definition.allowWider })
    // One by schedule counts also if there is nothing to read, so that schedules cannot make any number of them.
    const count = Math.max(Math.ceil(runIds.length / runsOfRun), scheduled ? 1 : 0)
    if (count > 0) await takeRuns(tx, deps.limits, { organizationId, count, now })
    await insertDistillation(tx, {
      ...{ organizationId, id, brain: asked.brain, definition, startedBy: by, createdAt: now, runIds, scheduled },
      brainIds: [...sources, target.brainId],
    })
    await also?.(tx)
    return id
  })
  deps.topics.publish(distillationsTopic(organizationId))
  return started
}

/** Starts a distillation, and repeats it by a schedule if one is asked for. */
export const beginDistillation = async (
  deps: Deps & Pick<Parameters<typeof addSchedule>[1], 'limits'>,
  acting: Acting,
  { schedule, ...request }: Given,
): Promise<{ distillation: Distillation; scheduleId?: string }> => {
  const { organizationId, by: createdBy, viewer } = acting
  const brain = await findInto(deps.db, acting, request)
  let scheduleId: string | undefined
  const also = async (tx: Tx) => {
    if (!schedule) return
    const target = { agentId: null, input: null, target: { distillation: request, brainId: brain }, actsFor: createdBy }
    scheduleId = await addSchedule(tx, deps, { organizationId, createdBy }, { ...schedule, ...target, enabled: true })
  }
  if (schedule) refuseSingleRuns(request, [])
  const id = await beginInto(deps, acting, { request, brain }, { also })
  const distillation = await readOne(deps.db, { organizationId, id }, viewer)
  return { distillation, ...(scheduleId === undefined ? {} : { scheduleId }) }
}

/** Cancels a distillation; one that has ended stays as it is. */
export const cancelDistillation = async (deps: Deps, key: DistillationKey, viewer: Viewer): Promise<Distillation> => {
  await findDistillation(deps.db, key)
  await endWork(deps.db, 'distillations', { ...key, state: 'canceled', reason: null, now: deps.clock.now() })
  return readOne(deps.db, key, viewer)
}

const maxAtOnce = 5

/** Deletes distillations as long after their end as runs. */
export const forgetDistillations = (deps: Retention) => forgetAfterDays(deps, maxAtOnce, deleteOld)

/** Deletes the distillations that may have seen content of a deleted Brain. False where the turn is over before. */
export const eraseDistillationsOfBrain = async (
  { db }: { db: Db },
  brainId: number,
  turn: { stopping: AbortSignal; renew(): Promise<boolean> },
): Promise<boolean> => {
  for (;;) {
    if (turn.stopping.aborted || !(await turn.renew())) return false
    if ((await deleteOfBrain(db, brainId, maxAtOnce)) < maxAtOnce) return true
  }
}
