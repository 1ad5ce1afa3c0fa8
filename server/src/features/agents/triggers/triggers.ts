import type { AuditAction } from '@noema/contracts/audit.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { createTrigger, ListedTrigger, patchTrigger, Trigger } from '@noema/contracts/triggers.ts'
import type { Limits } from '../../../config/config.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { brainTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict, invalidArgument, notFound, unknownReference } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { selectBrainById, selectIdsByHandles } from '../../kernel/brains/brain-queries.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import { selectLiveAgents } from '../agents/agent-queries.ts'
import { archivedAgent, findAgent, unknownAgent } from '../agents/agents.ts'
import {
  countTriggers,
  insertTrigger,
  lockHead,
  removeTrigger,
  selectTrigger,
  selectTriggers,
  type TriggerRow,
  updateTrigger,
} from './trigger-queries.ts'

// Triggers are set up here and fired by `fire-triggers.ts`. Their start is read under the Brain's lock, under which events take
// their positions: so enabling begins with the next event, and with none before it. A change ends the lease.

type Deps = {
  db: Db
  clock: Clock
  brainLocks: BrainLocks
  topics: Pick<Topics, 'publish'>
  limits: Pick<Limits, 'triggers'>
}
type Target = { organizationId: string; id: string }
type Acting = Target & { by: Actor }

/** The audit log's entry of an act on a trigger. */
const toAct = ({ organizationId, id, by }: Acting, action: AuditAction, name: string) => ({
  ...{ organizationId, by, action },
  target: { type: 'trigger', id, name },
})

type Kept = Pick<Trigger, 'agentId' | 'name' | 'expectedOutcome' | 'requiredAccess' | 'enabled' | 'kindScopes'>
const toKept = ({ agentId, name, expectedOutcome, requiredAccess, enabled, kindScopes }: Kept) => ({
  ...{ agentId, name, expectedOutcome, requiredAccess, enabled },
  kindScopes: kindScopes.map(({ entityKind }) => entityKind),
})

/** The refusal of an id that no trigger of the organization has. */
export const noSuchTrigger = (id: string) => notFound(`This organization has no trigger ${JSON.stringify(id)}.`)

const archivedReason = 'Its agent is archived. Name another agent.'

const toListed = (row: TriggerRow, isAgentLive: boolean): ListedTrigger => {
  const { brainId, pausedReason, lastRunId, lastFiredAt, ...trigger } = row
  const reason = isAgentLive ? pausedReason : archivedReason
  return {
    trigger,
    ...(lastRunId === null ? {} : { lastRunId }),
    ...(lastFiredAt === null ? {} : { lastFiredAt: lastFiredAt.toISOString() }),
    ...(trigger.enabled && reason !== null ? { paused: { reason } } : {}),
  }
}

/** An organization's triggers. There are only so many, so they are listed at once. */
export const listTriggers = async (
  { db, limits }: Pick<Deps, 'db' | 'limits'>,
  organizationId: string,
  viewer?: Viewer,
): Promise<ListedTrigger[]> => {
  const rows = await selectTriggers(db, organizationId, limits.triggers.max, viewer)
  const ids = rows.map(({ agentId }) => agentId)
  const live = new Set(await selectLiveAgents(db, organizationId, ids))
  return rows.map((row) => toListed(row, live.has(row.agentId)))
}

/** A trigger, with what became of it. */
export const readTrigger = async (db: Queryable, { organizationId, id }: Target): Promise<ListedTrigger> => {
  const row = await selectTrigger(db, organizationId, id)
  if (!row) throw noSuchTrigger(id)
  return toListed(row, (await selectLiveAgents(db, organizationId, [row.agentId])).length > 0)
}

/** Refuses an agent that no run can be started of, and keeps it from being archived until the transaction ends. */
const checkAgent = async (
  tx: Tx,
  { organizationId, by }: Pick<Acting, 'organizationId' | 'by'>,
  agentId: string,
): Promise<void> => {
  const agent = await findAgent(tx, organizationId, agentId, { lock: true, viewer: by.userId })
  if (!agent) throw unknownAgent(['agentId'], agentId)
  if (agent.archivedAt !== null) throw archivedAgent()
}

/** Each kind once. */
const toScopes = (scopes: Trigger['kindScopes']): Trigger['kindScopes'] =>
  [...new Set(scopes.map(({ entityKind }) => entityKind))].map((entityKind) => ({ entityKind }))

type BrainNames = Pick<BodyOutput<typeof createTrigger>, 'brain' | 'knowledgeGraphId'>

/** The refusal of a Brain that the organization does not have. */
const unknownBrain = ({ brain, knowledgeGraphId }: BrainNames) =>
  brain === undefined
    ? unknownReference(
        ['knowledgeGraphId'],
        `This organization has no Brain of the id ${JSON.stringify(knowledgeGraphId)}. List its Brains to see their ids.`,
      )
    : unknownReference(
        ['brain'],
        `This organization has no Brain ${JSON.stringify(brain)}. List its Brains to see those that there are.`,
      )

/** The Brain that a trigger names by its handle, its id, or both, if it is open to who makes the trigger. */
const findNamedBrain = async (
  db: Queryable,
  { organizationId, createdBy: { userId } }: { organizationId: string; createdBy: Actor },
  names: BrainNames,
) => {
  const { brain: handle, knowledgeGraphId } = names
  const id =
    handle === undefined
      ? knowledgeGraphId
      : (await selectIdsByHandles(db, organizationId, [handle], userId)).get(handle)
  const found = id === undefined ? undefined : await selectBrainById(db, organizationId, id, userId)
  if (!found) throw unknownBrain(names)
  if (knowledgeGraphId !== undefined && knowledgeGraphId !== found.id)
    throw invalidArgument(
      ['knowledgeGraphId'],
      'This is not the id of the Brain that brain names. Give one of the two.',
    )
  return found
}

/** Makes a trigger; `note` stores its id elsewhere, in the same transaction. */
export const makeTrigger = async (
  deps: Deps,
  { organizationId, createdBy }: { organizationId: string; createdBy: Actor },
  { brain: named, knowledgeGraphId, ...given }: BodyOutput<typeof createTrigger>,
  note?: (tx: Tx, id: string) => Promise<void>,
): Promise<ListedTrigger> => {
  const names = { brain: named, knowledgeGraphId }
  const brain = await findNamedBrain(deps.db, { organizationId, createdBy }, names)
  const { brainId } = brain
  const now = deps.clock.now()
  const id = newId('trg', now)
  return deps.brainLocks.run(brainId, (wait) =>
    deps.db.transaction().execute(async (tx) => {
      const position = await lockHead(tx, brainId, wait)
      if (position === undefined) throw unknownBrain(names)
      await holdAccess(tx, createdBy, { organizationId })
      await checkAgent(tx, { organizationId, by: createdBy }, given.agentId)
      if ((await countTriggers(tx, organizationId)) >= deps.limits.triggers.max)
        throw conflict(
          `This organization has ${deps.limits.triggers.max} triggers, which is the maximum. Delete one first.`,
          {
            code: 'too_many_triggers',
          },
        )
      const kindScopes = toScopes(given.kindScopes)
      await insertTrigger(tx, { ...given, kindScopes, id, brainId, organizationId, createdBy, now, position })
      await note?.(tx, id)
      const act = toAct({ organizationId, id, by: createdBy }, 'trigger.created', given.name)
      await addAudit(tx, { ...act, after: { brain: brain.handle, ...toKept({ ...given, kindScopes }) } }, now)
      return readTrigger(tx, { organizationId, id })
    }),
  )
}

/** Changes a trigger. Enabling it starts at the next event; an enabled one goes on at its position. */
export const changeTrigger = async (
  deps: Deps,
  { organizationId, id, by }: Acting,
  given: BodyOutput<typeof patchTrigger>,
): Promise<ListedTrigger> => {
  const found = await selectTrigger(deps.db, organizationId, id)
  if (!found) throw noSuchTrigger(id)
  const { brainId } = found
  const changed = await deps.brainLocks.run(brainId, (wait) =>
    deps.db.transaction().execute(async (tx) => {
      const position = await lockHead(tx, brainId, wait)
      const former = await selectTrigger(tx, organizationId, id)
      if (position === undefined || !former) throw noSuchTrigger(id)
      const next = {
        ...{ id, brainId, by, now: deps.clock.now() },
        agentId: given.agentId ?? former.agentId,
        name: given.name ?? former.name,
        expectedOutcome: given.expectedOutcome ?? former.expectedOutcome,
        requiredAccess: given.requiredAccess ?? former.requiredAccess,
        enabled: given.enabled ?? former.enabled,
        kindScopes: toScopes(given.kindScopes ?? former.kindScopes),
      }
      if (next.agentId !== former.agentId || (next.enabled && !former.enabled))
        await checkAgent(tx, { organizationId, by }, next.agentId)
      const act = toAct({ organizationId, id, by }, 'trigger.changed', next.name)
      await addAuditOfChange(tx, { ...act, before: toKept(former), after: toKept(next) }, next.now)
      await updateTrigger(tx, { ...next, position: former.enabled ? undefined : position })
      return readTrigger(tx, { organizationId, id })
    }),
  )
  deps.topics.publish(brainTopic(brainId))
  return changed
}

/** Deletes a trigger; it starts nothing any more. */
export const deleteTrigger = ({ db, clock }: Pick<Deps, 'db' | 'clock'>, acting: Acting): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { organizationId, id } = acting
    const former = await selectTrigger(tx, organizationId, id)
    if (!former || !(await removeTrigger(tx, organizationId, id))) throw noSuchTrigger(id)
    await addAudit(tx, { ...toAct(acting, 'trigger.deleted', former.name), before: toKept(former) }, clock.now())
  })
