import type { AgentAccess } from '@noema/contracts/agents.ts'
import { type InputMessage, type MessagePart, readText } from '@noema/contracts/messages.ts'
import { maxRunDepth, type RunInput } from '@noema/contracts/runs.ts'
import type { Limits } from '../../../config/config.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { organizationTopic, runsTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict, invalidArgument, notFound, rateLimited, unknownReference } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Json } from '../../../shared/text/json.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { secondsLeftToday } from '../../kernel/usage/usage.ts'
import { lockUsage } from '../../kernel/usage/usage-queries.ts'
import { makeFingerprint } from '../../platform/idempotency/idempotency.ts'
import { type StartableAgent, selectDefinition } from '../agents/agent-queries.ts'
import { archivedAgent, unknownAgent } from '../agents/agents.ts'
import { listReach } from '../agents/reach.ts'
import { archivedProject } from '../projects/projects.ts'
import { unknownConversation } from './refusals.ts'
import { selectRun } from './run-queries.ts'
import type { RunStore } from './run-store.ts'
import {
  type ClaimRow,
  holdParent,
  insertRuns,
  lockConversation,
  type NewRun,
  type Place,
  type Standing,
  selectClaim,
  selectStandings,
} from './start-queries.ts'
import type { RunRow } from './types.ts'

// Starting runs: one transaction stores the run, all that belongs to it and the count of the day.

type Deps = {
  keyedDb: Db
  clock: Clock
  topics: Pick<Topics, 'publish'>
  limits: Pick<Limits, 'caps'>
  runs: Pick<RunStore, 'prepare' | 'start'>
}

export type StartRequest = {
  organizationId: string
  /** Whom the run is started by. */
  actor: Actor
  agentId: string
  input: RunInput
  projectId?: string | undefined
  conversationId?: string | undefined
  metadata?: { [name: string]: unknown } | undefined
  /** The trace that it belongs to (W3C). */
  traceparent?: string | undefined
  idempotencyKey?: string | undefined
  /** The trigger that fired, and at which event. */
  trigger?: { id: string; cursor: string } | undefined
  scheduleId?: string | undefined
  /** The work that the run is a part of, such as `eval evr_…`; its keys are of that alone. */
  partOf?: string | undefined
  /** The version of the agent, if it is not the newest one. */
  agentVersion?: number | undefined
  /** The public ids of Brains whose content is in the input. The run does not reach them, and is as hidden as they are. */
  seenBrains?: readonly string[] | undefined
  /** The run that this one is a tool of: nothing starts unless its lease is valid. */
  parent?: { runId: string; operationId: string; lease: string; depth: number } | undefined
  /** A run without an agent, whose steps its caller takes. `begin` completes it, in the transaction that inserts it. */
  flow?: { name: string; input: Json; agent: StartableAgent; begin(tx: Tx, run: RunRow): Promise<void> } | undefined
  /** The triggers that led to it, the first first. A run that another starts has those of that one. */
  lineage?: readonly string[] | undefined
  /** The maximal access, whatever the agent's definition allows. A run that another starts may do no more than that one. */
  maxAccess?: AgentAccess | undefined
}

/** Whose idempotency keys a request's are: a trigger's events, a run's operations and a person's keys never meet. */
const toSender = ({ actor, trigger, scheduleId, partOf, parent, flow }: StartRequest): string => {
  if (partOf !== undefined) return partOf
  if (parent) return `run ${parent.runId}`
  if (trigger) return `trigger ${trigger.id}`
  if (scheduleId !== undefined) return `schedule ${scheduleId}`
  return `${actor.userId ?? actor.id}${flow ? ` flow ${flow.name}` : ''}`
}

type Claim = NonNullable<NewRun['claim']>

const toClaim = (request: StartRequest): NewRun['claim'] => {
  const key = request.idempotencyKey ?? request.trigger?.cursor ?? request.parent?.operationId
  if (key === undefined) return undefined
  return { sender: toSender(request), key, fingerprint: toFingerprint(request) }
}

/** The content of a request, without its organization. */
const toAsked = (request: StartRequest) => {
  const { agentId, input, conversationId = null, metadata = null } = request
  return { agentId, input, conversationId, metadata }
}

/** The input of a request's fingerprint. The caller's key decides the project, named or not. */
const toFingerprint = (request: StartRequest): Buffer =>
  request.idempotencyKey === undefined
    ? makeFingerprint(toAsked(request))
    : makeFingerprint({ ...toAsked(request), projectId: request.projectId ?? null })

/** True if a claim was stored for this request. Claims of release 0.1.0 did not cover the project. */
const isSameRequest = ({ fingerprint }: ClaimRow, request: StartRequest, claim: Claim): boolean =>
  fingerprint.equals(claim.fingerprint) || fingerprint.equals(makeFingerprint(toAsked(request)))

/** The run that an earlier request with this key has started. */
const findReplayed = async (db: Queryable, request: StartRequest, claim: Claim): Promise<RunRow | undefined> => {
  const { organizationId, projectId } = request
  const found = await selectClaim(db, organizationId, claim)
  if (!found) return undefined
  if (projectId !== undefined && projectId !== found.projectId)
    throw conflict('This idempotency key was used in another project. Send a new key with a new run.', {
      code: 'idempotency_key_reused',
    })
  if (!isSameRequest(found, request, claim))
    throw conflict('This idempotency key was used for another request. Send a new key with a new request.', {
      code: 'idempotency_key_reused',
    })
  return selectRun(db, { organizationId, id: found.runId })
}

const toParts = (message: InputMessage): readonly MessagePart[] =>
  message.parts ?? [{ type: 'text', text: readText(message) }]

/** The messages that a run begins with. */
const toMessages = (input: RunInput, now: Date): NewRun['messages'] => {
  const given: InputMessage[] = typeof input === 'string' ? [{ role: 'user', text: input }] : input
  return given.map((message, index) => {
    const [parts, text] = [[...toParts(message)], readText(message)]
    return { id: newId('msg', now), position: index + 1, role: message.role, parts, text }
  })
}

/** Starts of one organization that may be under way at once before each sees the others counted. */
const unseenRuns = 1_000

/** The caps of the account of an organization. */
export const findCaps = (
  { caps }: Pick<Limits, 'caps'>,
  { tier, verified }: Pick<Standing, 'tier' | 'verified'>,
): Caps => (tier === 'staff' || verified ? caps[tier] : caps.unverified)

/** Refuses a run beyond those that an account may start a day. */
const checkRuns = (caps: Caps, { runs }: Standing, now: Date): void => {
  if (caps && runs >= caps.dailyRuns)
    throw rateLimited(
      `This account has started ${runs} of its ${caps.dailyRuns} runs of today. Continue tomorrow (UTC), or ask the operator to raise the limit.`,
      { code: 'run_cap', retryAfterSeconds: secondsLeftToday(now) },
    )
}

const checkStanding = (request: StartRequest, standing: Standing, agent: StartableAgent): void => {
  const { conversation } = standing
  if (standing.isProjectArchived === null)
    throw unknownReference(['projectId'], 'This organization has no such project. List its projects to see their ids.')
  if (standing.isProjectArchived) throw archivedProject()
  if (request.conversationId === undefined) return
  if (!conversation) throw unknownConversation()
  if (conversation.agentId !== null && conversation.agentId !== agent.id)
    throw invalidArgument(['conversationId'], 'This conversation is one of another agent.')
}

/** The data of a run that is ready to be inserted. */
type Prepared = {
  request: StartRequest
  agent: StartableAgent
  projectId: string
  claim: NewRun['claim']
  caps: Caps
}

const toPlace = ({ organizationId, agentId, projectId, conversationId }: StartRequest, now: Date): Place => ({
  ...{ organizationId, agentId, projectId: projectId ?? null, conversationId: conversationId ?? null, now },
})

const toSeen = ({ seenBrains = [] }: StartRequest): NewRun['brains'] =>
  seenBrains.map((id) => ({ id, handle: '', access: 'none' }))

const toNewRun = ({ request, agent, projectId, claim }: Prepared, now: Date, isQueued: boolean): NewRun => ({
  ...{ organizationId: request.organizationId, id: newId('run', now), agentId: agent.id, agentVersion: agent.version },
  ...{ projectId, conversationId: request.conversationId ?? null, input: request.flow?.input ?? request.input },
  metadata: request.metadata ?? null,
  startedBy: request.actor,
  trigger: request.trigger ?? null,
  scheduleId: request.scheduleId ?? null,
  parent: request.parent ? { runId: request.parent.runId, operationId: request.parent.operationId } : null,
  depth: request.parent ? request.parent.depth + 1 : 0,
  lineage: request.lineage ?? [],
  maxAccess: request.maxAccess ?? null,
  traceparent: request.traceparent ?? null,
  createdAt: now,
  dueAt: isQueued ? null : now,
  claim,
  messages: request.flow ? [] : toMessages(request.input, now),
  brains: [...listReach(agent.definition, request.maxAccess), ...toSeen(request)],
  corpora: agent.definition.corpora ?? [],
})

type Inserted = { run: RunRow; isReported: boolean; isQueued: boolean } | undefined

const toInserted = (inserted: (RunRow & { isReported: boolean }) | undefined, isQueued: boolean): Inserted => {
  if (!inserted) return undefined
  const { isReported, ...run } = inserted
  return { run, isReported, isQueued }
}

/** Inserts a run under the locks that it needs; undefined where its key has another run. */
const insertLocked = async (tx: Tx, prepared: Prepared, now: Date, isNearCap: boolean): Promise<Inserted> => {
  const { request, caps } = prepared
  const { organizationId, conversationId, parent } = request
  if (isNearCap) {
    await lockUsage(tx, organizationId)
    const [standing] = await selectStandings(tx, [toPlace(request, now)])
    if (standing) checkRuns(caps, standing, now)
  }
  const held = parent && (await holdParent(tx, { organizationId, id: parent.runId, lease: parent.lease }))
  if (parent && !held) throw conflict('The run that starts this one has ended.', { code: 'run_ended' })
  const isQueued = conversationId !== undefined && (await lockConversation(tx, organizationId, conversationId))
  const known = held ? { ...prepared, request: { ...request, ...held } } : prepared
  const [inserted] = await insertRuns(tx, [toNewRun(known, now, isQueued)])
  if (inserted) await request.flow?.begin(tx, inserted)
  return toInserted(inserted, isQueued)
}

const insertPrepared = async (
  { keyedDb, runs }: Deps,
  prepared: Prepared,
  now: Date,
  isNearCap: boolean,
): Promise<Inserted> => {
  const { conversationId, parent, flow } = prepared.request
  if (isNearCap || parent || flow || conversationId !== undefined)
    return keyedDb.transaction().execute((tx) => insertLocked(tx, prepared, now, isNearCap))
  return toInserted(await runs.start(toNewRun(prepared, now, false)), false)
}

/** An agent in the version that a request names. */
const inVersion = async (
  db: Queryable,
  { organizationId, agentVersion: version }: StartRequest,
  agent: StartableAgent,
): Promise<StartableAgent> => {
  if (version === undefined || version === agent.version) return agent
  const definition = await selectDefinition(db, { organizationId, id: agent.id, version })
  if (!definition) throw unknownReference(['agentVersion'], `This agent has no version ${version}.`)
  return { ...agent, version, definition }
}

/** Finds out whether a run may be started, and what it is to be. */
const prepare = async (deps: Deps, request: StartRequest, now: Date): Promise<Prepared & { isNearCap: boolean }> => {
  const { agentId, parent } = request
  if (parent && parent.depth >= maxRunDepth)
    throw conflict(`Runs that start others are at most ${maxRunDepth} deep.`, { code: 'run_depth' })
  const standing = await deps.runs.prepare(toPlace(request, now))
  if (!standing) throw notFound('This organization is no longer there.')
  const newest = request.flow?.agent ?? standing.agent
  if (!newest) throw unknownAgent(['agentId'], agentId)
  const agent = await inVersion(deps.keyedDb, request, newest)
  if (agent.isArchived) throw archivedAgent()
  const projectId = request.projectId ?? agent.projectId
  checkStanding(request, standing, agent)
  const caps = findCaps(deps.limits, standing)
  checkRuns(caps, standing, now)
  const isNearCap = caps !== undefined && standing.runs + unseenRuns > caps.dailyRuns
  return { request, agent, projectId, claim: toClaim(request), caps, isNearCap }
}

/**
 * Starts a run, or returns the one that an earlier request with the same key started, before any other check: so a repeat finds
 * its run even if the agent and the caps have changed meanwhile.
 */
export const startRun = async (deps: Deps, request: StartRequest): Promise<{ run: RunRow; isReplay: boolean }> => {
  const claim = toClaim(request)
  const replayed = claim && (await findReplayed(deps.keyedDb, request, claim))
  if (replayed) return { run: replayed, isReplay: true }
  const now = deps.clock.now()
  const insert = async () => {
    const { isNearCap, ...prepared } = await prepare(deps, request, now)
    return insertPrepared(deps, prepared, now, isNearCap)
  }
  const { inserted, refusal } = await insert().then(
    (made) => ({ inserted: made, refusal: undefined }),
    (error: unknown) => ({ inserted: undefined, refusal: { error } }),
  )
  // Another request with this key came first, and is committed, be it that it took the last place: this one is the repeat.
  const found = inserted?.run ?? (claim && (await findReplayed(deps.keyedDb, request, claim)))
  if (!found && refusal) throw refusal.error
  if (!found) throw conflict('This run could not be started. Try again with a new idempotency key.')
  if (inserted?.isReported) deps.topics.publish(organizationTopic(request.organizationId))
  if (inserted && !inserted.isQueued) deps.topics.publish(runsTopic(request.organizationId))
  return { run: found, isReplay: inserted === undefined }
}
