import type { AuditEntry } from '@noema/contracts/audit.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { firstIdAt } from '../../../shared/ids.ts'
import {
  hidesAgent,
  hidesBrain,
  hidesEval,
  hidesGoal,
  hidesHandle,
  hidesSchedule,
  hidesTrigger,
  isVisible,
  type Viewer,
} from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../cursors/cursors.ts'
import { inOrder, isAfter } from '../cursors/page-queries.ts'

type NewEntry = Omit<AuditEntry, 'at' | 'actor'> & { organizationId: string; at: Date; actor: Actor }

const toJson = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value))

export const insertEntry = (
  db: Queryable,
  { organizationId, id, at, actor, action, target, before, after }: NewEntry,
) =>
  sql`
  insert into audit_entries (organization_id, id, at, actor, action, target_type, target_id, target, before, after)
  values (${organizationId}, ${id}, ${at}, ${JSON.stringify(actor)}, ${action}, ${target.type}, ${target.id},
    ${JSON.stringify(target)}, ${toJson(before)}, ${toJson(after)})`.execute(db)

export type EntryRow = Pick<AuditEntry, 'id' | 'action' | 'target'> & {
  at: Date
  actor: Actor
  before: AuditEntry['before'] | null
  after: AuditEntry['after'] | null
}

/** The handles of the Brains that the state of an object names, before or after an act. */
const selectHandles = (state: RawBuilder<unknown>): RawBuilder<unknown> => {
  const lists = ['brains', 'skills', 'parts'].map((name) => sql`${state}->${sql.lit(name)}`)
  return sql`select ${state}->>'brain' as handle union all select ${state}->'scope'->>'brain'
    union all select ${state}->'distillation'->>'brain'
    union all ${sql.join(
      lists.map(
        (list) => sql`select coalesce(one.value->>'handle', one.value->>'brain')
          from json_array_elements(case when json_typeof(${list}) = 'array' then ${list} else '[]' end) as one (value)`,
      ),
      sql` union all `,
    )}`
}

/** True if an entry is about a Brain that is not open to a person, or names one, or is about an agent or a trigger that is hidden with one. */
const hidesEntry = (organization: string, userId: string) => {
  const organizationId = sql`${organization}::text`
  const handles = sql.join([selectHandles(sql`entry.before`), selectHandles(sql`entry.after`)], sql` union all `)
  return sql`(${hidesHandle(organizationId, sql`entry.target->>'brain'`, userId)}
    or exists (select 1 from (${handles}) as named where ${hidesHandle(organizationId, sql`named.handle`, userId)})
    or entry.target_type = 'brain' and exists (select 1 from brain_directory as titled
      where titled.organization_id = ${organizationId} and titled.id = entry.target_id
        and ${hidesBrain(sql`titled.brain_id`, userId)})
    or entry.target_type = 'eval' and ${hidesEval(organizationId, sql`entry.target_id`, userId)}
    or entry.target_type = 'goal' and ${hidesGoal(organizationId, sql`entry.target_id`, userId)}
    or entry.target_type = 'agent' and ${hidesAgent(organizationId, sql`entry.target_id`, userId)}
    or entry.target_type = 'trigger' and ${hidesTrigger(organizationId, sql`entry.target_id`, userId)}
    or entry.target_type = 'schedule' and ${hidesSchedule(organizationId, sql`entry.target_id`, userId)})`
}

/** Filters entries by all that is given. Ids are time-ordered, so times are positions among them. */
export type EntryFilter = { organizationId: string; viewer?: Viewer } & {
  [Name in 'action' | 'target' | 'actor' | 'from' | 'to']?: string | undefined
}

export const selectEntries = async (
  db: Queryable,
  { organizationId, action, target, actor, from, to, viewer }: EntryFilter,
  page: PageRequest<string>,
): Promise<EntryRow[]> => {
  const { rows } = await sql<EntryRow>`
    select id, at, actor, action, target, before, after from audit_entries as entry
    where organization_id = ${organizationId} and ${isAfter(sql`id`, page)}
      and ${isVisible(viewer, (userId) => hidesEntry(organizationId, userId))}
      ${action === undefined ? sql`` : sql`and action = ${action}`}
      ${target === undefined ? sql`` : sql`and target_id = ${target}`}
      ${actor === undefined ? sql`` : sql`and (actor->>'id' = ${actor} or actor->>'userId' = ${actor})`}
      ${from === undefined ? sql`` : sql`and id >= ${firstIdAt('aud', new Date(from))}`}
      ${to === undefined ? sql`` : sql`and id < ${firstIdAt('aud', new Date(to))}`}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}
