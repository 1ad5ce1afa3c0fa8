import { type BrainRole, brainRole } from '@noema/contracts/access.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from './database.ts'

// Conditions for the statements of features about Brains that are open to named members only. A Brain without a row
// in restricted_brains is open to its whole organization.

/**
 * The person whom a call is limited to: some Brain of the organization is not open to them, or not for review. Undefined if
 * every Brain is, so that statements need no condition.
 */
export type Viewer = string | undefined

type Column = RawBuilder<unknown>

/** The roles that may do what this one may. */
const listFrom = (least: BrainRole): string[] => brainRole.options.slice(brainRole.options.indexOf(least))

/** A person's role in a Brain, `manager` where the Brain is open to the organization; null if they have none. */
export const roleInBrain = (brainId: Column, userId: Column): Column => sql`
  case when not exists (select 1 from restricted_brains as restricted where restricted.brain_id = ${brainId}) then 'manager'
    else (select named.role from brain_members as named where named.brain_id = ${brainId} and named.user_id = ${userId}) end`

/** True if a Brain is restricted and a person has no role in it that allows as much as this one. */
export const hidesBrain = (brainId: Column, userId: string | Column, least: BrainRole = 'reader'): Column => sql`
  (exists (select 1 from restricted_brains as restricted where restricted.brain_id = ${brainId})
    and not exists (select 1 from brain_members as named where named.brain_id = ${brainId} and named.user_id = ${userId}
      and named.role = any(${listFrom(least)}::text[])))`

/** True if an organization has a Brain that a person may not review. */
export const isLimitedIn = (organizationId: Column, userId: Column): Column => sql`
  exists (select 1 from restricted_brains as restricted where restricted.organization_id = ${organizationId}
    and not exists (select 1 from brain_members as named where named.brain_id = restricted.brain_id
      and named.user_id = ${userId} and named.role in ('reviewer', 'manager')))`

/** The condition that an item is shown to a viewer. */
export const isVisible = (viewer: Viewer, hides: (userId: string) => Column): Column =>
  viewer === undefined ? sql`true` : sql`not ${hides(viewer)}`

/** The condition that a Brain is shown to a viewer; `least` is the role that shows it. */
export const isShown = (brainId: Column, viewer: Viewer, least?: BrainRole): Column =>
  isVisible(viewer, (userId) => hidesBrain(brainId, userId, least))

/**
 * The condition that a row of a table of Brains belongs to a Brain that is shown to a viewer. The hidden ones of the organization are
 * found by themselves: if the tables of Brains are on other servers than the members of Brains, no row can look for its own.
 */
export const isRowShown = (
  brainId: Column,
  organizationId: string,
  viewer: Viewer,
  least: BrainRole = 'reader',
): Column =>
  isVisible(
    viewer,
    (userId) => sql`(${brainId} in (
    select restricted.brain_id from restricted_brains as restricted where restricted.organization_id = ${organizationId}
      and not exists (select 1 from brain_members as named where named.brain_id = restricted.brain_id
        and named.user_id = ${userId} and named.role = any(${listFrom(least)}::text[]))))`,
  )

/** True if a live Brain of this handle is hidden from a person. Null names no Brain. */
export const hidesHandle = (organizationId: Column, handle: Column, userId: string | Column): Column => sql`
  exists (select 1 from brain_directory as titled where titled.organization_id = ${organizationId}
    and titled.handle = ${handle} and titled.deleted_at is null and ${hidesBrain(sql`titled.brain_id`, userId)})`

/** True if the definition of an agent names a Brain that is hidden from a person. */
export const hidesDefinition = (organizationId: Column, definition: Column, userId: string | Column): Column => sql`
  exists (select 1 from (
      select pinned->>'id' as id from json_array_elements(${definition}::json->'brains') as pinned
      union all select pinned->>'brainId' from json_array_elements(${definition}::json->'skills') as pinned) as pinned
    join brain_directory as titled on titled.organization_id = ${organizationId} and titled.id = pinned.id
    where ${hidesBrain(sql`titled.brain_id`, userId)})`

/** True if the newest version of an agent names a Brain that is hidden from a person. */
export const hidesAgent = (organizationId: Column, agentId: Column, userId: string | Column): Column => sql`
  exists (select 1 from agents as seen join agent_versions as latest on latest.organization_id = seen.organization_id
      and latest.agent_id = seen.id and latest.version = seen.version
    where seen.organization_id = ${organizationId} and seen.id = ${agentId}
      and ${hidesDefinition(organizationId, sql`latest.definition`, userId)})`

// A response in the format of OpenAI begins with what was said up to an earlier one.
const runColumns = sql`run.organization_id, run.id, run.parent_run_id, run.conversation_id, run.trigger_id,
  run.metadata->'openai'->>'previousResponseId' as continued_run_id`

/**
 * The runs whose content may be in some runs of an organization, as `touched`: these, those that started them, that they started, that
 * they continue, and those that came before them in their conversations.
 */
export const withTouchedRuns = (organizationId: Column, isFirst: Column): Column => sql`
    with recursive touched as (
      select ${runColumns} from runs as run where run.organization_id = ${organizationId} and ${isFirst}
      union
      select run.* from touched cross join lateral (
        select ${runColumns} from runs as run
          where run.organization_id = touched.organization_id and run.id = touched.parent_run_id
        union all select ${runColumns} from runs as run
          where run.organization_id = touched.organization_id and run.parent_run_id = touched.id
        union all select ${runColumns} from runs as run
          where run.organization_id = touched.organization_id and run.id = touched.continued_run_id
        union all select ${runColumns} from runs as run
          where run.organization_id = touched.organization_id and run.conversation_id = touched.conversation_id
            and run.id < touched.id) as run)`

/**
 * The runs to which content of a Brain may have come, as `seeing`: those that could reach it, those that started them or that they
 * started, and those that followed in their conversations. A run that continues another one reaches what that one did.
 */
export const withSeeingRuns = (organizationId: Column, brainId: Column): Column => {
  const columns = sql`run.organization_id, run.id, run.parent_run_id, run.conversation_id`
  const ofSame = sql`select ${columns} from runs as run where run.organization_id = seeing.organization_id`
  return sql`
    with recursive seeing as (
      select ${columns} from run_brains as granted join runs as run
        on run.organization_id = granted.organization_id and run.id = granted.run_id
      where granted.brain_id = ${brainId} and granted.organization_id = ${organizationId}
      union
      select run.* from seeing cross join lateral (
        ${ofSame} and run.id = seeing.parent_run_id
        union all ${ofSame} and run.parent_run_id = seeing.id
        union all ${ofSame} and run.conversation_id = seeing.conversation_id and run.id > seeing.id) as run)`
}

/**
 * True if content of a Brain that is hidden from a person may have come into a run: through the Brains that it could reach and
 * that of its trigger, or from runs that started it, that it started, that it continues, or that came before it in its conversation.
 */
export const hidesRun = (organizationId: Column, runId: Column, userId: string | Column): Column => sql`
  exists (${withTouchedRuns(organizationId, sql`run.id = ${runId}`)}
    select from touched where exists (select 1 from run_brains as granted
        where granted.organization_id = touched.organization_id and granted.run_id = touched.id
          and ${hidesBrain(sql`granted.brain_id`, userId)})
      or exists (select 1 from triggers as fired where fired.organization_id = touched.organization_id
        and fired.id = touched.trigger_id and ${hidesBrain(sql`fired.brain_id`, userId)}))`

/** True if a conversation has a run that is hidden from a person: the newest one has seen those before it. */
export const hidesConversation = (organizationId: Column, id: Column, userId: string | Column): Column =>
  hidesRun(
    organizationId,
    sql`(select max(said.id) from runs as said where said.organization_id = ${organizationId} and said.conversation_id = ${id})`,
    userId,
  )

/** True if the run of a task is hidden from a person, or the run of an eval with the case that it is about. */
export const hidesTask = (organizationId: Column, id: Column, userId: string | Column): Column => {
  const find = (column: string) => sql`(select ${sql.ref(`asked.${column}`)} from run_tasks as asked
    where asked.organization_id = ${organizationId} and asked.id = ${id})`
  return sql`(${hidesRun(organizationId, find('run_id'), userId)}
    or ${hidesEvalRun(organizationId, find('eval_run_id'), userId)})`
}

/** True if the run of a link is hidden from a person. */
export const hidesShare = (organizationId: Column, id: Column, userId: string | Column): Column =>
  hidesRun(
    organizationId,
    sql`(select shared.run_id from run_shares as shared where shared.organization_id = ${organizationId} and shared.id = ${id})`,
    userId,
  )

/** True if the agent or the eval of a schedule is hidden from a person, or an agent or the Brain of its distillation. */
export const hidesSchedule = (organizationId: Column, id: Column, userId: string | Column): Column => {
  const ofSchedule = (column: Column) => sql`(select ${column} from schedules as planned
    where planned.organization_id = ${organizationId} and planned.id = ${id})`
  const distillation = sql`planned.target->'distillation'`
  return sql`(${hidesAgent(organizationId, ofSchedule(sql`planned.agent_id`), userId)}
    or ${hidesEval(organizationId, ofSchedule(sql`planned.target->>'evalId'`), userId)}
    or ${hidesAgent(organizationId, ofSchedule(sql`${distillation}->'from'->>'agentId'`), userId)}
    or ${hidesAgent(organizationId, ofSchedule(sql`${distillation}->>'model'`), userId)}
    or exists (select 1 from brain_directory as titled where titled.organization_id = ${organizationId}
      and titled.id = ${ofSchedule(sql`planned.target->>'brainId'`)} and ${hidesBrain(sql`titled.brain_id`, userId)}))`
}

/** True if a Brain that a version of an eval reads, or that its agent does, is hidden from a person. */
export const hidesTarget = (organizationId: Column, target: Column, userId: string | Column): Column => sql`
  (exists (select 1 from brain_directory as titled where titled.organization_id = ${organizationId}
        and titled.id = ${target}->>'brainId' and ${hidesBrain(sql`titled.brain_id`, userId)})
    or ${hidesAgent(organizationId, sql`(${target}->>'agentId')`, userId)}
    or exists (select 1 from corpora as corpus cross join json_array_elements(corpus.parts) as part (value)
        join brain_directory as titled on titled.organization_id = ${organizationId} and titled.id = part.value->>'brainId'
      where corpus.organization_id = ${organizationId} and corpus.name = ${target}->>'corpus'
        and ${hidesBrain(sql`titled.brain_id`, userId)}))`

/** True if what the newest version of an eval reads is hidden from a person. */
export const hidesEval = (organizationId: Column, id: Column, userId: string | Column): Column => sql`
  exists (select 1 from evals as hidden join eval_versions as newest on newest.organization_id = hidden.organization_id
      and newest.eval_id = hidden.id and newest.version = hidden.version
    where hidden.organization_id = ${organizationId} and hidden.id = ${id}
      and ${hidesTarget(organizationId, sql`(newest.definition->'target')`, userId)})`

/**
 * True if the eval of a run is hidden from a person, or a Brain whose content may be in its results. Those with a pending change are
 * for its reviewers.
 */
export const hidesEvalRun = (organizationId: Column, id: Column, userId: string | Column): Column => sql`
  (exists (select 1 from eval_run_brains as graded where graded.organization_id = ${organizationId}
      and graded.eval_run_id = ${id} and ${hidesBrain(sql`graded.brain_id`, userId)})
    or exists (select 1 from eval_runs as ran where ran.organization_id = ${organizationId} and ran.id = ${id}
      and ran.change_brain is not null and ${hidesBrain(sql`ran.change_brain`, userId, 'reviewer')})
    or ${hidesEval(
      organizationId,
      sql`(select ran.eval_id from eval_runs as ran where ran.organization_id = ${organizationId} and ran.id = ${id})`,
      userId,
    )})`

/** True if the agent of a goal is hidden from a person, or one of its attempts. */
export const hidesGoal = (organizationId: Column, id: Column, userId: string | Column): Column => {
  const ofGoal = (column: Column) => sql`(select ${column} from goals as pursued
    where pursued.organization_id = ${organizationId} and pursued.id = ${id})`
  return sql`(${hidesAgent(organizationId, ofGoal(sql`pursued.agent_id`), userId)}
    or ${hidesConversation(organizationId, ofGoal(sql`pursued.conversation_id`), userId)})`
}
/** True if a Brain whose content a distillation may have seen, or that gets what it finds, is hidden from a person. */
export const hidesDistillation = (organizationId: Column, id: Column, userId: string | Column): Column => sql`
  exists (select 1 from distillation_brains as seen where seen.organization_id = ${organizationId}
    and seen.distillation_id = ${id} and ${hidesBrain(sql`seen.brain_id`, userId)})`

/** True if the Brain or the agent of a trigger is hidden from a person. */
export const hidesTrigger = (organizationId: Column, id: Column, userId: string | Column): Column => sql`
  exists (select 1 from triggers as fired where fired.organization_id = ${organizationId} and fired.id = ${id}
    and (${hidesBrain(sql`fired.brain_id`, userId)} or ${hidesAgent(organizationId, sql`fired.agent_id`, userId)}))`

/** The person behind the id of an actor that is a person or a management key. */
export const toPerson = (actor: Column): Column =>
  sql`coalesce((select minter.created_by from management_keys as minter where minter.id = ${actor}), ${actor})`

/** The people who decide where the events of a webhook go, or can sign for it, of a row that is called `webhook`. */
const peopleOfWebhook = sql`(select distinct ${toPerson(sql`maker.id`)} as user_id
  from unnest(array[webhook.created_by, webhook.url_by, webhook.secret_by]) as maker (id) where maker.id is not null)`

/** Selects those of some makers to whom a Brain is not open: people, or keys of such people. */
export const selectStrangers = async (db: Queryable, brainId: number, makers: readonly string[]): Promise<string[]> => {
  const person = sql`coalesce((select ${toPerson(sql`minted.created_by`)} from brain_keys as minted
    where minted.brain_id = ${brainId} and minted.id = maker.id), ${toPerson(sql`maker.id`)})`
  const { rows } = await sql<{ id: string }>`select maker.id from unnest(${[...makers]}::text[]) as maker (id)
    where ${hidesBrain(sql`${brainId}::bigint`, person)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** True if an organization's webhook, a row that is called `webhook`, belongs to somebody to whom a Brain is not open. */
export const isWebhookOfStranger = (brainId: Column): Column => sql`
  exists (select 1 from ${peopleOfWebhook} as person where ${hidesBrain(brainId, sql`person.user_id`)})`

/** True if an organization's webhook, a row that is called `webhook`, belongs to somebody from whom a run is hidden. */
export const isWebhookOfStrangerToRun = (organizationId: Column, runId: Column): Column => sql`
  exists (select 1 from ${peopleOfWebhook} as person where ${hidesRun(organizationId, runId, sql`person.user_id`)})`

/**
 * True if a webhook of an organization is hidden from a person: its scope is a Brain or an agent that is hidden, or it belongs to
 * somebody to whom such a Brain is open, so that its deliveries may hold content of it.
 */
export const hidesWebhook = (organizationId: Column, id: Column, userId: string | Column): Column => sql`
  exists (select 1 from organization_webhooks as webhook where webhook.organization_id = ${organizationId}
    and webhook.id = ${id} and ${hidesWebhookRow(organizationId, userId)})`

/** `hidesWebhook` of a row that is called `webhook`. */
export const hidesWebhookRow = (organizationId: Column, userId: string | Column): Column => sql`
  (${hidesHandle(organizationId, sql`webhook.brain`, userId)}
    or ${hidesAgent(organizationId, sql`webhook.agent_id`, userId)}
    or exists (select 1 from ${peopleOfWebhook} as person join brain_members as theirs
      on theirs.organization_id = ${organizationId} and theirs.user_id = person.user_id
      where ${hidesBrain(sql`theirs.brain_id`, userId)}))`

/** A text as a parameter of a condition. */
export const asText = (value: string): Column => sql`${value}::text`

/** True if both conditions hold; the second is looked at only if the first does. */
export const both = (first: Column, second: Column): Column => sql`case when ${first} then ${second} else false end`

/** Checks whether a condition holds, by a statement of its own. */
export const holds = async (db: Queryable, condition: Column): Promise<boolean> => {
  const { rows } = await sql<{ holds: boolean }>`select ${condition} as holds`.execute(db)
  return rows[0]?.holds === true
}
