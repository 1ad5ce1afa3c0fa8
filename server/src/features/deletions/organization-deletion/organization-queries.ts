import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'

/** Up to this number things are counted. */
const maxCounted = 100_000

const counted = (rows: ReturnType<typeof sql>) => sql`(select count(*) from (${rows} limit ${maxCounted}) as counted)`

type Counts = {
  managementKeys: number
  brainKeys: number
  webhooks: number
  agents: number
  runs: number
  openRuns: number
  triggers: number
  schedules: number
  conversations: number
  projects: number
  connectors: number
  providers: number
  artifacts: number
  corpora: number
  evals: number
  goals: number
  packs: number
  schemas: number
  members: number
  invitations: number
  auditEntries: number
}

/** The number of each thing of an organization, without the contents of its Brains. */
export const selectCounts = async (db: Queryable, organizationId: string): Promise<Counts> => {
  const of = (table: string, also = sql``) =>
    counted(sql`select 1 from ${sql.table(table)} where organization_id = ${organizationId} ${also}`)
  const ofBrains = (table: string, also = sql``, at = 'brain_directory') =>
    counted(sql`select 1 from ${sql.table(at)} as brain join ${sql.table(table)} as item on item.brain_id = brain.brain_id
      where brain.organization_id = ${organizationId} and deleted_at is null ${also}`)
  const { rows } = await sql<Counts>`
    select ${of('management_keys', sql`and revoked_at is null`)} as "managementKeys",
      ${ofBrains('brain_keys', sql`and item.revoked_at is null`)} as "brainKeys",
      ${of('organization_webhooks')} + ${ofBrains('brain_webhooks', sql``, 'brains')} as webhooks,
      ${of('agents', sql`and archived_at is null`)} as agents, ${of('runs')} as runs,
      ${of('runs', sql`and completed_at is null`)} as "openRuns", ${ofBrains('triggers')} as triggers,
      ${of('schedules')} as schedules, ${of('conversations', sql`and deleted_at is null`)} as conversations,
      ${of('projects', sql`and archived_at is null`)} as projects, ${of('connectors')} as connectors,
      ${of('providers')} as providers, ${of('artifacts')} as artifacts, ${of('corpora')} as corpora,
      ${of('evals', sql`and archived_at is null`)} as evals, ${of('goals')} as goals,
      (select count(distinct name) from packs where organization_id = ${organizationId}) as packs,
      (select count(distinct name) from organization_schemas where organization_id = ${organizationId}) as schemas,
      (select count(*) from member where "organizationId" = ${organizationId}) as members,
      (select count(*) from invitation where "organizationId" = ${organizationId} and status = 'pending') as invitations,
      ${of('audit_entries')} as "auditEntries"`.execute(db)
  const [row] = rows
  if (!row) throw new Error('counting answered nothing')
  return row
}

/** Handles of held Brains of an organization, some of many. */
export const selectHeldBrains = async (db: Queryable, organizationId: string): Promise<string[]> => {
  const { rows } = await sql<{ handle: string }>`
    select handle from brains where organization_id = ${organizationId} and deleted_at is null and availability = 'held'
    order by handle limit 100`.execute(db)
  return rows.map(({ handle }) => handle)
}

/** The owners of an organization, some of many. */
export const selectOwners = async (db: Queryable, id: string): Promise<{ id: string; email: string }[]> => {
  const { rows } = await sql<{ id: string; email: string }>`
    select account.id, account.email from member join "user" as account on account.id = member."userId"
    where member."organizationId" = ${id} and member.role = 'owner' order by member."createdAt", member.id limit 100`.execute(
    db,
  )
  return rows
}

export type OrganizationNames = { id: string; name: string; slug: string }

/** The names of an organization that has not ended. */
export const findNames = async (db: Queryable, id: string): Promise<OrganizationNames | undefined> => {
  const { rows } = await sql<OrganizationNames>`
    select id, name, slug from organization where id = ${id} and ended_at is null`.execute(db)
  return rows[0]
}

/**
 * Keeps members and management keys from making anything lasting until the transaction ends, then locks the organization itself:
 * in the order in which those that make something lock them. Answers what it is called, where it has not ended.
 */
export const lockWhole = async (tx: Tx, id: string): Promise<OrganizationNames | undefined> => {
  await sql`select from member where "organizationId" = ${id} order by id for update`.execute(tx)
  await sql`select from management_keys where organization_id = ${id} order by id for update`.execute(tx)
  await sql`select from organization where id = ${id} for no key update`.execute(tx)
  return findNames(tx, id)
}

/** Ends an organization: it loses its members, slug and name. */
export const markEnded = async (tx: Tx, id: string, now: Date): Promise<void> => {
  await sql`
    update organization set ended_at = ${now}, name = '', slug = 'ended-' || id, logo = null, metadata = null
    where id = ${id}`.execute(tx)
  await sql`delete from member where "organizationId" = ${id}`.execute(tx)
  await sql`delete from invitation where "organizationId" = ${id}`.execute(tx)
  await sql`update session set "activeOrganizationId" = null where "activeOrganizationId" = ${id}`.execute(tx)
}

/** Stops what starts something or sends something out by itself. */
export const stopSending = async (tx: Tx, id: string): Promise<void> => {
  await sql`delete from schedules where organization_id = ${id}`.execute(tx)
  await sql`delete from triggers using brain_directory as brain
    where brain.organization_id = ${id} and triggers.brain_id = brain.brain_id`.execute(tx)
  await sql`delete from brain_webhooks using brains
    where brains.organization_id = ${id} and brain_webhooks.brain_id = brains.brain_id`.execute(tx)
  await sql`delete from outbox where organization_id = ${id}`.execute(tx)
  await sql`update organization_webhooks set events = '{}' where organization_id = ${id}`.execute(tx)
  await sql`update organization_deliveries as delivery
      set state = 'failed', due_at = null, next_attempt_at = null, lease = null
    from organization_webhooks as webhook
    where webhook.organization_id = ${id} and delivery.webhook_id = webhook.id and delivery.state = 'pending'`.execute(
    tx,
  )
}
