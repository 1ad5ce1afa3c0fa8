import { sql } from 'kysely'
import type { WorkerHealth } from '../../../shared/worker-health.ts'
import type { Db } from '../../../storage/database.ts'

export type NodeRow = {
  id: string
  version: string
  roles: string[]
  startedAt: Date
  seenAt: Date
  diskFree: number | null
  diskTotal: number | null
  workers: (Omit<WorkerHealth, 'lastSuccess'> & { lastSuccess?: string })[]
}

/** Stores the report of a node, and deletes nodes that have reported nothing since a time. */
export const upsertNode = async (
  db: Db,
  node: Omit<NodeRow, 'workers'> & { address: string | null; workers: readonly WorkerHealth[] },
  forgottenBefore: Date,
): Promise<void> => {
  await sql`
    insert into nodes (id, version, roles, address, started_at, seen_at, disk_free, disk_total, workers)
    values (${node.id}, ${node.version}, ${node.roles}::text[], ${node.address}, ${node.startedAt}, ${node.seenAt},
      ${node.diskFree}, ${node.diskTotal}, ${JSON.stringify(node.workers)}::json)
    on conflict (id) do update set seen_at = excluded.seen_at, disk_free = excluded.disk_free,
      disk_total = excluded.disk_total, workers = excluded.workers`.execute(db)
  await sql`delete from nodes where seen_at < ${forgottenBefore}`.execute(db)
}

/** The addresses of nodes of a version that have reported since a time. */
export const selectAddresses = async (
  db: Db,
  { version, since }: { version: string; since: Date },
): Promise<string[]> => {
  const { rows } = await sql<{ address: string }>`select distinct address from nodes
    where address is not null and version = ${version} and seen_at > ${since} order by address limit 200`.execute(db)
  return rows.map(({ address }) => address)
}

export const deleteNode = (db: Db, id: string) => sql`delete from nodes where id = ${id}`.execute(db)

export const selectNodes = async (db: Db): Promise<NodeRow[]> => {
  const { rows } = await sql<NodeRow>`
    select id, version, roles, started_at as "startedAt", seen_at as "seenAt", disk_free as "diskFree",
      disk_total as "diskTotal", workers
    from nodes order by started_at, id limit 500`.execute(db)
  return rows
}

/** Tables of leased work, by what waits in them. */
const queues = [
  { name: 'runs', table: 'runs', due: 'due_at' },
  { name: 'triggers', table: 'triggers', due: 'due_at' },
  { name: 'schedules', table: 'schedules', due: 'due_at' },
  { name: 'Brain webhooks', table: 'brain_webhooks', due: 'due_at' },
  { name: 'outbox', table: 'outbox', due: 'due_at' },
  { name: 'deliveries', table: 'organization_deliveries', due: 'due_at' },
  { name: 'mail', table: 'mail_outbox', due: 'next_attempt_at' },
  { name: 'erasures', table: 'erasures', due: 'due_at' },
] as const

const maxCounted = 10_000

/** The due rows of each queue. Their partial indexes hold waiting rows only. */
export const selectQueues = async (db: Db, now: Date) => {
  const parts = queues.map(
    ({ name, table, due }) => sql`
    (select ${name}::text as name, count(*) as due, min(at) as "oldestDueAt" from (
      select ${sql.ref(due)} as at from ${sql.table(table)} where ${sql.ref(due)} is not null and ${sql.ref(due)} <= ${now}
        ${table === 'mail_outbox' ? sql`and sent_at is null` : sql``} limit ${maxCounted}) as waiting)`,
  )
  const { rows } = await sql<{
    name: string
    due: number
    oldestDueAt: Date | null
  }>`${sql.join(parts, sql` union all `)}`.execute(db)
  return rows
}

/** Beyond this many Brains what each lacks is not added up for one look. */
const maxBrains = 20_000

/** The approximate number of Brains, from the planner. */
const countBrainsAbout = async (db: Db): Promise<number> => {
  const { rows } = await sql<{
    count: number
  }>`select reltuples::bigint as count from pg_class where oid = 'brains'::regclass`.execute(db)
  return rows[0]?.count ?? 0
}

type VectorsRow = { space: string; currentBrains: number; formerBrains: number }

type Behind = { brains: number; behind: number }

/** The lag of the lexical index and of the vectors of a space; null if there are too many Brains to examine each. */
export const selectLags = async (
  db: Db,
  space: string | undefined,
): Promise<{ index: Behind | null; embedding: Behind | null; vectors: VectorsRow | null }> => {
  if ((await countBrainsAbout(db)) > maxBrains) return { index: null, embedding: null, vectors: null }
  const { rows: index } = await sql<Behind>`
    select count(*) as brains, coalesce(sum(brain.position - coalesce(progress.position, 0)), 0)::bigint as behind
    from brains as brain left join passage_progress as progress on progress.brain_id = brain.brain_id
    where brain.deleted_at is null and brain.position > coalesce(progress.position, 0)`.execute(db)
  if (space === undefined) return { index: index[0] ?? null, embedding: null, vectors: null }
  const { rows: embedding } = await sql<Behind>`
    select count(*) as brains, coalesce(sum(passages.last_passage - coalesce(vectors.passage, 0)), 0)::bigint as behind
    from passage_progress as passages
      left join vector_progress as vectors on vectors.brain_id = passages.brain_id and vectors.space = ${space}
    where passages.last_passage > coalesce(vectors.passage, 0)`.execute(db)
  const { rows: vectors } = await sql<VectorsRow>`
    select ${space}::text as space, count(*) filter (where space = ${space}) as "currentBrains",
      count(*) filter (where space <> ${space}) as "formerBrains" from answering_spaces`.execute(db)
  return { index: index[0] ?? null, embedding: embedding[0] ?? null, vectors: vectors[0] ?? null }
}

/** The query examines `seen` webhooks of Brains and returns `told` of them. */
const maxWebhooks = { seen: 10_000, reported: 50 }

/** Webhooks of Brains that have not been sent all events yet, the furthest behind first. */
export const selectLaggingWebhooks = async (db: Db) => {
  const { rows } = await sql<{ id: string; brainId: string; behind: number }>`
    select due.id, brain.id as "brainId", brain.position - due.examined_position as behind
    from (select brain_id, id, examined_position from brain_webhooks where due_at is not null limit ${maxWebhooks.seen}) as due
      join brains as brain on brain.brain_id = due.brain_id
    where brain.position > due.examined_position
    order by behind desc, due.id limit ${maxWebhooks.reported}`.execute(db)
  return rows
}

type DatabaseRow = {
  postgresql: string
  applied: number
  bytes: number
  connections: number
  maxConnections: number
  oldestTransactionSeconds: number | null
}

export const selectDatabase = async (db: Db): Promise<DatabaseRow> => {
  const { rows } = await sql<DatabaseRow>`
    select current_setting('server_version') as postgresql, (select max(number) from schema_migrations) as applied,
      pg_database_size(current_database()) as bytes, current_setting('max_connections')::integer as "maxConnections",
      count(*) as connections,
      extract(epoch from max(now() - xact_start))::float8 as "oldestTransactionSeconds"
    from pg_stat_activity where datname = current_database()`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database returned no row about itself')
  return row
}
