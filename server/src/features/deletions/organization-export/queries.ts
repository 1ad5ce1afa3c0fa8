import { type RawBuilder, sql } from 'kysely'
import * as access from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'

/** A line of an export, and the place that the next page begins after. */
type LineRow = { line: string; place: string }

/** A sort of lines: rows of a table, by a column that orders them, and how many of them are read at once. */
export type LineSource = {
  select: (organizationId: string, viewer: access.Viewer) => RawBuilder<unknown>
  place: RawBuilder<unknown>
  atOnce: number
}

type Rows = {
  rows: (organizationId: string) => RawBuilder<unknown>
  place: RawBuilder<unknown>
  /** Less where one row may be a mebibyte. */
  atOnce?: number
  /** True of rows that may hold something of a Brain that is hidden from a person. */
  hides?: (organizationId: RawBuilder<unknown>, userId: string) => RawBuilder<unknown>
}

const build = (name: string, object: RawBuilder<unknown>) =>
  sql`json_build_object(${name}::text, ${object})::text as line`

const from = (
  name: string,
  object: RawBuilder<unknown>,
  { rows, place, atOnce = 500, hides = () => sql`false` }: Rows,
): LineSource => ({
  select: (organizationId, viewer) => sql`select ${build(name, object)}, ${place} as place ${rows(organizationId)}
    and ${access.isVisible(viewer, (userId) => hides(access.asText(organizationId), userId))}`,
  ...{ place, atOnce },
})

const ofTable = (table: string) => (organizationId: string) =>
  sql`from ${sql.table(table)} as item where item.organization_id = ${organizationId}`

/** Rows of an item that is hidden with the Brains whose content it may hold. */
const hiddenBy =
  (hides: typeof access.hidesAgent, item: RawBuilder<unknown>): NonNullable<Rows['hides']> =>
  (organizationId, userId) =>
    hides(organizationId, item, userId)

const byId = (table: string) => ({ rows: ofTable(table), place: sql`item.id` })

/** The data of an organization outside its Brains, in the order of the file. No secret is among the columns. */
export const lineSources: readonly LineSource[] = [
  from(
    'member',
    sql`json_build_object('userId', account.id, 'email', account.email, 'name', account.name, 'role', item.role,
      'joinedAt', item."createdAt")`,
    {
      rows: (organizationId) => sql`from member as item join "user" as account on account.id = item."userId"
        where item."organizationId" = ${organizationId}`,
      place: sql`item.id`,
    },
  ),
  from(
    'organizationSchema',
    sql`json_build_object('name', name, 'version', version, 'kinds', kinds, 'createdAt', created_at)`,
    { rows: ofTable('organization_schemas'), place: sql`name || ' ' || lpad(version::text, 10, '0')`, atOnce: 8 },
  ),
  from(
    'corpus',
    sql`json_build_object('name', name, 'parts', parts, 'createdAt', created_at, 'updatedAt', updated_at)`,
    { rows: ofTable('corpora'), place: sql`name`, atOnce: 50 },
  ),
  from('pack', sql`json_build_object('name', name, 'version', version, 'file', file, 'createdAt', created_at)`, {
    rows: ofTable('packs'),
    place: sql`name || ' ' || to_char(version, 'FM0000000000')`,
    atOnce: 2,
  }),
  from(
    'evalVersion',
    sql`json_build_object('evalId', eval_id, 'version', version, 'definition', definition, 'createdAt', created_at)`,
    {
      ...{ rows: ofTable('eval_versions'), place: sql`eval_id || ' ' || lpad(version::text, 10, '0')`, atOnce: 50 },
      hides: hiddenBy(access.hidesTarget, sql`(item.definition->'target')`),
    },
  ),
  from(
    'evalCase',
    sql`json_build_object('evalId', eval_id, 'fromVersion', from_version, 'toVersion', to_version, 'case', content)`,
    {
      ...{ rows: ofTable('eval_cases'), place: sql`eval_id || ' ' || id || ' ' || lpad(from_version::text, 10, '0')` },
      hides: (organizationId, userId) => sql`not exists (select 1 from eval_versions as version
        where version.organization_id = item.organization_id and version.eval_id = item.eval_id
          and version.version >= item.from_version and version.version < coalesce(item.to_version, version.version + 1)
          and not ${access.hidesTarget(organizationId, sql`(version.definition->'target')`, userId)})`,
    },
  ),
  from(
    'goal',
    sql`json_build_object('id', id, 'agentId', agent_id, 'objective', objective, 'criteria', criteria, 'budget', budget,
      'state', state, 'conversationId', conversation_id, 'bestScore', best_score, 'createdAt', created_at,
      'completedAt', completed_at)`,
    { rows: ofTable('goals'), place: sql`id`, atOnce: 50, hides: hiddenBy(access.hidesGoal, sql`item.id`) },
  ),
  from(
    'goalAttempt',
    sql`json_build_object('goalId', goal_id, 'number', number, 'runId', run_id, 'state', state, 'passed', passed,
      'score', score, 'grades', grades, 'error', error, 'createdAt', created_at, 'completedAt', completed_at)`,
    {
      ...{ rows: ofTable('goal_attempts'), place: sql`goal_id || ' ' || lpad(number::text, 10, '0')`, atOnce: 50 },
      hides: hiddenBy(access.hidesGoal, sql`item.goal_id`),
    },
  ),
  from(
    'rubric',
    sql`json_build_object('name', name, 'version', version, 'criteria', criteria, 'createdAt', created_at)`,
    { rows: ofTable('rubrics'), place: sql`name || ' ' || lpad(version::text, 10, '0')`, atOnce: 50 },
  ),
  from(
    'project',
    sql`json_build_object('id', id, 'name', name, 'isDefault', is_default, 'createdAt', created_at, 'archivedAt', archived_at)`,
    byId('projects'),
  ),
  from(
    'agentVersion',
    sql`json_build_object('agentId', agent_id, 'version', version, 'definition', definition, 'createdAt', created_at)`,
    {
      ...{ rows: ofTable('agent_versions'), place: sql`agent_id || ' ' || lpad(version::text, 10, '0')`, atOnce: 8 },
      hides: hiddenBy(access.hidesDefinition, sql`item.definition`),
    },
  ),
  from(
    'connector',
    sql`json_build_object('id', id, 'name', name, 'url', url, 'createdAt', created_at)`,
    byId('connectors'),
  ),
  from('provider', sql`json_build_object('name', name, 'kind', kind, 'baseUrl', base_url, 'createdAt', created_at)`, {
    rows: ofTable('providers'),
    place: sql`name`,
  }),
  from(
    'trigger',
    sql`json_build_object('id', item.id, 'brain', brain.handle, 'agentId', agent_id, 'name', item.name,
      'expectedOutcome', expected_outcome, 'requiredAccess', required_access, 'enabled', enabled, 'kindScopes', kind_scopes)`,
    {
      rows: (
        organizationId,
      ) => sql`from triggers as item join brain_directory as brain on brain.brain_id = item.brain_id
        where item.organization_id = ${organizationId} and brain.deleted_at is null`,
      place: sql`item.id`,
      hides: hiddenBy(access.hidesTrigger, sql`item.id`),
    },
  ),
  from(
    'schedule',
    sql`json_build_object('id', id, 'agentId', agent_id, 'cron', cron, 'timezone', timezone, 'input', input, 'enabled', enabled)`,
    { ...byId('schedules'), hides: hiddenBy(access.hidesSchedule, sql`item.id`) },
  ),
  from(
    'artifact',
    sql`json_build_object('id', artifact.id, 'path', path, 'version', item.version, 'contentType', content_type,
      'bytes', bytes, 'sha256', sha256, 'source', source, 'createdBy', created_by, 'createdAt', created_at)`,
    {
      rows: (organizationId) => sql`from artifact_versions as item join artifacts as artifact
          on artifact.organization_id = item.organization_id and artifact.id = item.artifact_id
        where item.organization_id = ${organizationId}`,
      place: sql`item.artifact_id || ' ' || lpad(item.version::text, 10, '0')`,
    },
  ),
  from(
    'auditEntry',
    sql`json_strip_nulls(json_build_object('id', id, 'at', at, 'actor', actor, 'action', action, 'target', target,
      'before', before, 'after', after))`,
    byId('audit_entries'),
  ),
]

/** An organization, and the owner who exports it. */
export type Exporting = { organizationId: string; viewer: access.Viewer }

/** A page of lines of one sort, by their place. */
export const selectLines = async (
  db: Queryable,
  { select, place }: LineSource,
  { organizationId, viewer, after, limit }: Exporting & { after: string; limit: number },
): Promise<LineRow[]> => {
  const { rows } = await sql<LineRow>`
    ${select(organizationId, viewer)} and ${place} > ${after} order by ${place} limit ${limit}`.execute(db)
  return rows
}

/** The first line: what the organization is. */
export const findOrganizationLine = async (db: Queryable, id: string) => {
  const { rows } = await sql<{ id: string; name: string; slug: string; tier: string }>`
    select id, name, slug, tier from organization where id = ${id}`.execute(db)
  return rows[0]
}
