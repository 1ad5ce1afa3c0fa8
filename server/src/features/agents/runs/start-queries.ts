import type { AgentAccess } from '@noema/contracts/agents.ts'
import type { RunInput } from '@noema/contracts/runs.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { conflict } from '../../../shared/errors.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { ownedTogether, toDay } from '../../brain/usage/usage.ts'
import { addManyToOutbox } from '../../platform/outbox/outbox.ts'
import { runColumns } from './queries.ts'
import type { RunRow, StoredMessage } from './types.ts'

/** What a repeated request finds: the run of its key, and what was asked for with it. */
export type ClaimRow = { fingerprint: Buffer; projectId: string; runId: string }

export const selectClaim = async (
  db: Queryable,
  organizationId: string,
  { sender, key }: { sender: string; key: string },
): Promise<ClaimRow | undefined> => {
  const { rows } = await sql<ClaimRow>`
    select fingerprint, project_id as "projectId", run_id as "runId" from run_claims
    where organization_id = ${organizationId} and sender = ${sender} and key = ${key}`.execute(db)
  return rows[0]
}

export type Standing = {
  tier: 'free' | 'business' | 'enterprise' | 'staff'
  verified: boolean
  /** Runs of today of all that is counted together with the organization. */
  runs: number
  /** Whether the project and the conversation that are named are there. */
  hasProject: boolean
  conversation: { agentId: string | null } | null
}

/** What decides whether an organization may start a run now. */
export const selectStanding = async (
  db: Queryable,
  {
    organizationId,
    projectId,
    conversationId,
  }: { organizationId: string; projectId: string; conversationId: string | null },
  now: Date,
): Promise<Standing | undefined> => {
  const { rows } = await sql<Standing>`
    select organization.tier, exists (select from member as owner join "user" as account on account.id = owner."userId"
        where owner."organizationId" = organization.id and owner.role = 'owner' and account."emailVerified") as verified,
      (select coalesce(sum(runs), 0)::bigint from run_days
        where day = ${toDay(now)}::date and organization_id in ${ownedTogether(sql`${organizationId}::text`)}) as runs,
      exists (select from projects where organization_id = ${organizationId} and id = ${projectId}
        and archived_at is null) as "hasProject",
      (select json_build_object('agentId', agent_id) from conversations
        where organization_id = ${organizationId} and id = ${conversationId} and deleted_at is null) as conversation
    from organization where id = ${organizationId}`.execute(db)
  return rows[0]
}

/** Locks a conversation, so that its runs are put in order by one at a time; tells whether one of them has not ended. */
export const lockConversation = async (tx: Tx, organizationId: string, id: string): Promise<boolean> => {
  const conversation = await sql`select from conversations
    where organization_id = ${organizationId} and id = ${id} and deleted_at is null for update`.execute(tx)
  if (conversation.rows.length === 0) throw conflict('This conversation was deleted. Start the run in another one.')
  const { rows } = await sql`select from runs where organization_id = ${organizationId} and conversation_id = ${id}
    and completed_at is null limit 1`.execute(tx)
  return rows.length > 0
}

/** Keeps a run from ending until the transaction does, and tells what goes on to runs that it starts; undefined where its lease does not stand. */
export const holdParent = async (
  tx: Tx,
  { organizationId, id, lease }: { organizationId: string; id: string; lease: string },
) => {
  const { rows } = await sql<{ lineage: string[]; maxAccess: AgentAccess | null }>`
    select lineage, max_access as "maxAccess" from runs where organization_id = ${organizationId} and id = ${id}
      and lease = ${lease} for share`.execute(tx)
  const [run] = rows
  return run && { lineage: run.lineage, maxAccess: run.maxAccess ?? undefined }
}

export type NewRun = {
  organizationId: string
  id: string
  agentId: string
  agentVersion: number
  projectId: string
  conversationId: string | null
  input: RunInput
  metadata: { [name: string]: unknown } | null
  startedBy: Actor
  trigger: { id: string; cursor: string } | null
  scheduleId: string | null
  parent: { runId: string; operationId: string } | null
  depth: number
  lineage: readonly string[]
  maxAccess: AgentAccess | null
  traceparent: string | null
  createdAt: Date
  dueAt: Date | null
  claim: { sender: string; key: string; fingerprint: Buffer } | undefined
  messages: readonly Omit<StoredMessage, 'createdAt' | 'operationId'>[]
  brains: readonly { id: string; handle: string; access: string }[]
}

const insertClaim = (run: NewRun): RawBuilder<unknown> => sql`
  insert into run_claims (organization_id, sender, key, fingerprint, project_id, run_id)
  select ${run.organizationId}, ${run.claim?.sender ?? null}, ${run.claim?.key ?? null},
    ${run.claim?.fingerprint ?? null}::bytea, ${run.projectId}, ${run.id}
  where ${run.claim !== undefined} on conflict do nothing returning run_id`

const insertRow = (run: NewRun): RawBuilder<unknown> => sql`
  insert into runs (organization_id, id, agent_id, agent_version, project_id, conversation_id, state, input, metadata,
    started_by, trigger_id, trigger_cursor, schedule_id, parent_run_id, parent_operation_id, depth, lineage, traceparent,
    created_at, due_at, brain_handle, max_access)
  select ${run.organizationId}, ${run.id}, ${run.agentId}, ${run.agentVersion}::integer, ${run.projectId},
    ${run.conversationId}, 'queued', ${JSON.stringify(run.input)}::json,
    ${run.metadata === null ? null : JSON.stringify(run.metadata)}::json, ${actorValue(run.startedBy)},
    ${run.trigger?.id ?? null}, ${run.trigger?.cursor ?? null}, ${run.scheduleId}, ${run.parent?.runId ?? null},
    ${run.parent?.operationId ?? null}, ${run.depth}::integer, ${JSON.stringify(run.lineage)}::json, ${run.traceparent},
    ${run.createdAt}::timestamptz, ${run.dueAt}::timestamptz,
    ${run.brains.length === 1 ? (run.brains[0]?.handle ?? null) : null}, ${run.maxAccess}
  where ${run.claim === undefined} or exists (select from claim) returning *`

const toldRun = (run: NewRun): RawBuilder<unknown> => sql`
  select made.organization_id, 'run.created' as event, made.created_at as at, made.agent_id, made.brain_handle as brain,
    json_build_object('runId', made.id, 'agentId', made.agent_id, 'state', 'queued', 'status', 'pending') as data
  from made where made.id = ${run.id}`

/**
 * Inserts a run with all that belongs to its beginning, and counts it, as one statement; `isTold` says whether a webhook
 * wants to know. Undefined where its idempotency key has another run.
 */
export const insertRun = async (db: Queryable, run: NewRun): Promise<(RunRow & { isTold: boolean }) | undefined> => {
  const { rows } = await sql<RunRow & { isTold: boolean }>`
    with claim as (${insertClaim(run)}),
    made as (${insertRow(run)}),
    counted as (
      insert into run_days as day (organization_id, day, runs)
      select organization_id, ${toDay(run.createdAt)}::date, 1 from made
      on conflict (organization_id, day) do update set runs = day.runs + 1 returning day.runs),
    said as (
      insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
      select made.organization_id, made.id, message.id, message.position, message.role, message.parts, message.text,
        made.created_at
      from made cross join json_to_recordset(${JSON.stringify(run.messages)}::json)
        as message (id text, position integer, role text, parts json, text text) returning id),
    reached as (
      insert into run_brains (brain_id, organization_id, run_id, access)
      select brain.brain_id, made.organization_id, made.id, pinned.access
      from made cross join json_to_recordset(${JSON.stringify(run.brains)}::json) as pinned (id text, access text)
        join brains as brain on brain.id = pinned.id and brain.organization_id = made.organization_id
      on conflict do nothing returning brain_id),
    told as (${addManyToOutbox(toldRun(run))} returning 1)
    select ${runColumns}, exists (select from told) as "isTold" from made as run`.execute(db)
  return rows[0]
}
