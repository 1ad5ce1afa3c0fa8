import type { AgentAccess } from '@noema/contracts/agents.ts'
import type { RunInput } from '@noema/contracts/runs.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { conflict } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/text/json.ts'
import { hidesBrain } from '../../../storage/brain-access.ts'
import { hasConfirmedOwner } from '../../../storage/confirmed-owner.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { defineStatement, runStatement } from '../../../storage/statements.ts'
import { ownedTogether, toDay } from '../../kernel/usage/usage-queries.ts'
import { addManyToOutbox } from '../../platform/outbox/outbox.ts'
import { type StartableAgent, startableAgent } from '../agents/agent-queries.ts'
import { runColumns } from './run-queries.ts'
import type { RunRow, StoredMessage } from './types.ts'

/** The find of a repeated request: the run of its key, and the fingerprint of the request that made it. */
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

/** The ids of the runs that were started with keys of one sender and have not ended. */
export const selectOpenClaimed = async (db: Queryable, organizationId: string, sender: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select run.id from run_claims as claim
      join runs as run on run.organization_id = claim.organization_id and run.id = claim.run_id
    where claim.organization_id = ${organizationId} and claim.sender = ${sender} and run.completed_at is null
    order by run.id limit 1000`.execute(db)
  return rows.map(({ id }) => id)
}

/** The agent, project and organization of a new run, which starts now. */
export type Place = {
  organizationId: string
  agentId: string
  projectId: string | null
  conversationId: string | null
  now: Date
}

export type Standing = {
  tier: 'free' | 'business' | 'enterprise' | 'staff'
  verified: boolean
  agent: StartableAgent | null
  /** Runs of that day of all that is counted together with the organization. */
  runs: number
  /** True if the named project, or else that of the agent, is archived; null if there is none. */
  isProjectArchived: boolean | null
  conversation: { agentId: string | null } | null
}

const standings = defineStatement<{ requested: string }, Standing & { index: number }>(
  ({ requested }) => sql`
    select found.*, (select archived_at is not null from projects where organization_id = found."organizationId"
        and id = coalesce(found."projectId", found.agent->>'projectId')) as "isProjectArchived"
    from (
      select requested.index, requested."organizationId", requested."projectId", organization.tier,
        ${hasConfirmedOwner(sql`organization.id`)} as verified,
        ${startableAgent(sql`requested."organizationId"`, sql`requested."agentId"`)} as agent,
        (select coalesce(sum(runs), 0)::bigint from run_days where day = (requested.now at time zone 'UTC')::date
          and organization_id in ${ownedTogether(sql`requested."organizationId"`)}) as runs,
        (select json_build_object('agentId', agent_id) from conversations
          where organization_id = requested."organizationId" and id = requested."conversationId"
            and deleted_at is null) as conversation
      from json_to_recordset(${requested}::json) as requested (index integer, "organizationId" text, "agentId" text,
          "projectId" text, "conversationId" text, now timestamptz)
        join organization on organization.id = requested."organizationId") as found`,
)

/** The facts that decide if organizations may start runs now, in the order of the places; undefined for a missing agent. */
export const selectStandings = async (db: Queryable, places: readonly Place[]): Promise<(Standing | undefined)[]> => {
  const requested = JSON.stringify(places.map((place, index) => ({ ...place, index })))
  const rows = await runStatement(db, standings({ requested }))
  return places.map((_, place) => rows.find(({ index }) => index === place))
}

/** Locks a conversation, so that one at a time orders its runs; true if one of them is open. */
export const lockConversation = async (tx: Tx, organizationId: string, id: string): Promise<boolean> => {
  const conversation = await sql`select from conversations
    where organization_id = ${organizationId} and id = ${id} and deleted_at is null for update`.execute(tx)
  if (conversation.rows.length === 0) throw conflict('This conversation was deleted. Start the run in another one.')
  const { rows } = await sql`select from runs where organization_id = ${organizationId} and conversation_id = ${id}
    and completed_at is null limit 1`.execute(tx)
  return rows.length > 0
}

/**
 * Keeps a run from ending until the transaction does, and returns the facts that its child runs inherit; undefined if its lease
 * is lost.
 */
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
  input: RunInput | Json
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
  /** The names of the corpora that it reads. */
  corpora: readonly string[]
}

/** The handle of the only Brain that a run reaches; null if there is none, or if there may be others. */
const toOnlyHandle = (brains: NewRun['brains'], corpora: NewRun['corpora']): string | null => {
  const [only, ...others] = brains.filter(({ access }) => access !== 'none')
  return only && others.length + corpora.length === 0 ? only.handle : null
}

const toGiven = (runs: readonly NewRun[]): string =>
  JSON.stringify(
    runs.map(({ claim, trigger, parent, brains, corpora, ...run }) => ({
      ...run,
      ...{ triggerId: trigger?.id ?? null, triggerCursor: trigger?.cursor ?? null },
      ...{ parentRunId: parent?.runId ?? null, parentOperationId: parent?.operationId ?? null },
      ...{ brains, corpora },
      brainHandle: toOnlyHandle(brains, corpora),
      ...{ sender: claim?.sender ?? null, key: claim?.key ?? null },
      fingerprint: claim?.fingerprint.toString('hex') ?? null,
    })),
  )

const insertRows = sql`
  insert into runs (organization_id, id, agent_id, agent_version, project_id, conversation_id, state, input, metadata,
    started_by, trigger_id, trigger_cursor, schedule_id, parent_run_id, parent_operation_id, depth, lineage, traceparent,
    created_at, due_at, brain_handle, max_access)
  select "organizationId", id, "agentId", "agentVersion", "projectId", "conversationId", 'queued', input, metadata,
    "startedBy", "triggerId", "triggerCursor", "scheduleId", "parentRunId", "parentOperationId", depth, lineage,
    traceparent, "createdAt", "dueAt", "brainHandle", "maxAccess"
  from given where key is null or id in (select run_id from claim) returning *`

const reportedRuns = sql`
  select made.organization_id, 'run.created' as event, made.created_at as at, made.agent_id, made.brain_handle as brain,
    json_build_object('runId', made.id, 'agentId', made.agent_id, 'state', 'queued', 'status', 'pending') as data
  from made`

type MadeRun = RunRow & { isReported: boolean }

const insertion = defineStatement<{ given: string }, MadeRun>(
  ({ given }) => sql`
    with given as materialized (select * from json_to_recordset(${given}::json) as given ("organizationId" text,
      id text, "agentId" text, "agentVersion" integer, "projectId" text, "conversationId" text, input json, metadata json,
      "startedBy" json, "triggerId" text, "triggerCursor" text, "scheduleId" text, "parentRunId" text,
      "parentOperationId" text, depth integer, lineage json, traceparent text, "createdAt" timestamptz,
      "dueAt" timestamptz, "brainHandle" text, "maxAccess" text, sender text, key text, fingerprint text, messages json,
      brains json, corpora json)),
    claim as (
      insert into run_claims (organization_id, sender, key, fingerprint, project_id, run_id)
      select "organizationId", sender, key, decode(fingerprint, 'hex'), "projectId", id from given where key is not null
      order by "organizationId", sender, key on conflict do nothing returning run_id),
    made as (${insertRows}),
    counted as (
      insert into run_days as day (organization_id, day, runs)
      select organization_id, (created_at at time zone 'UTC')::date as day, count(*) from made
      group by organization_id, (created_at at time zone 'UTC')::date order by 1, 2
      on conflict (organization_id, day) do update set runs = day.runs + excluded.runs returning day.runs),
    said as (
      insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
      select made.organization_id, made.id, message.id, message.position, message.role, message.parts, message.text,
        made.created_at
      from made join given on given.id = made.id cross join json_to_recordset(given.messages)
        as message (id text, position integer, role text, parts json, text text) returning id),
    reached as (
      insert into run_brains (brain_id, organization_id, run_id, access)
      select brain_id, organization_id, id, max(access) from (
        select brain.brain_id, pinned.organization_id, pinned.id, pinned.access
        from (
          select made.*, brain.id as public_id, brain.access from made join given on given.id = made.id
            cross join json_to_recordset(given.brains) as brain (id text, access text)
          union all
          select made.*, part.value->>'brainId', 'read_only' from made join given on given.id = made.id
            cross join json_array_elements_text(given.corpora) as named (name)
            join corpora as corpus on corpus.organization_id = made.organization_id and corpus.name = named.name
            cross join json_array_elements(corpus.parts) as part (value)) as pinned
        join brain_directory as brain on brain.id = pinned.public_id and brain.organization_id = pinned.organization_id
        -- By itself for each Brain, so that its members are found by their key.
        cross join lateral (
          select ${hidesBrain(sql`brain.brain_id`, sql`pinned.started_by->>'userId'`)} as is_hidden offset 0) as access
        where not access.is_hidden
        union all
        select fired.brain_id, made.organization_id, made.id, 'none'
        from made join triggers as fired on fired.organization_id = made.organization_id and fired.id = made.trigger_id
      ) as seen group by brain_id, organization_id, id
      on conflict do nothing returning brain_id),
    reported as (${addManyToOutbox(reportedRuns)} returning organization_id)
    select ${runColumns}, exists (select 1 from reported where reported.organization_id = run.organization_id) as "isReported"
    from made as run`,
)

/**
 * Inserts runs with all that belongs to their beginnings, and counts them, as one statement. A run reaches the Brains of its agent
 * and of its corpora that are open to its starter; it has seen the event of its trigger's Brain, which it may not reach (`none`). `isReported` says whether a webhook
 * wants to know. Undefined in the place of one whose idempotency key has another run. Days are counted in the order of the
 * organizations, so that two of these statements never wait for each other.
 */
export const insertRuns = async (db: Queryable, runs: readonly NewRun[]): Promise<(MadeRun | undefined)[]> => {
  const rows = await runStatement(db, insertion({ given: toGiven(runs) }))
  return runs.map(({ id }) => rows.find((row) => row.id === id))
}

/** The number of runs started today over everything that counts together with an organization. */
export const countRunsToday = async (db: Queryable, organizationId: string, now: Date): Promise<number> => {
  const { rows } = await sql<{ runs: number }>`
    select coalesce(sum(runs), 0)::bigint as runs from run_days where day = ${toDay(now)}::date
      and organization_id in ${ownedTogether(sql`${organizationId}::text`)}`.execute(db)
  return rows[0]?.runs ?? 0
}

/** Adds to the runs of today of an organization. */
export const addRunsToday = (
  tx: Tx,
  { organizationId, count, now }: { organizationId: string; count: number; now: Date },
) =>
  sql`insert into run_days as day (organization_id, day, runs) values (${organizationId}, ${toDay(now)}::date, ${count})
    on conflict (organization_id, day) do update set runs = day.runs + excluded.runs`.execute(tx)

/** The tier of an organization, and whether its owner is confirmed. */
export const selectTier = async (
  db: Queryable,
  organizationId: string,
): Promise<Pick<Standing, 'tier' | 'verified'>> => {
  const { rows } = await sql<Pick<Standing, 'tier' | 'verified'>>`
    select tier, ${hasConfirmedOwner(sql`organization.id`)} as verified from organization
    where id = ${organizationId}`.execute(db)
  return rows[0] ?? { tier: 'free', verified: false }
}
