import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'

// What a person is told of, in an organization where a million of each thing stand behind it: ended notifications, changes,
// tasks, runs of schedules and deliveries.

const million = 1_000_000

/** How many of each thing an organization has that somebody may be told of. */
type Size = { brains: number; waiting: number; agents: number; schedules: number; webhooks: number; keys: number }

export const sizes = {
  /** About a hundred states that go on. */
  usual: { brains: 200, waiting: 20, agents: 20, schedules: 50, webhooks: 20, keys: 200 },
  /** Hundreds of them. */
  large: { brains: 10_000, waiting: 100, agents: 100, schedules: 500, webhooks: 100, keys: 10_000 },
} as const satisfies Record<string, Size>

/** Statements that fill an organization, `$1`, as its features would. */
const toFillings = ({ brains, waiting, agents, schedules, webhooks, keys }: Size): readonly string[] => [
  `insert into notifications (organization_id, id, kind, target_type, target_id, name, began_at, resolved_at)
   select $1, 'ntf_' || lpad(number::text, 26, '0'), 'webhook.failing', 'webhook', 'whk_' || number, 'host', now(), now()
   from generate_series(1, ${million}) as number`,
  `insert into brains (id, organization_id, handle, cursor_key, created_at, updated_at, counted_gap, pending_count)
   select 'brn_bench_' || number, $1, 'bench-' || number, 'key', now(), now(), 0, case when number % ${brains / waiting} = 0 then ${million / waiting} else 0 end
   from generate_series(1, ${brains}) as number`,
  `insert into changes (brain_id, id, decision, application, submitted_by, created_at, organization_id)
   select brain_id, 'chg_' || brain_id || '_' || number, 'pending', 'not_applied', 'key_x', now(), $1
   from brains cross join generate_series(1, ${million / waiting}) as number where organization_id = $1 and pending_count > 0`,
  `insert into run_tasks (organization_id, id, run_id, agent_id, operation_id, state, question, created_at)
   select $1, 'tsk_' || number, 'run_x', 'agt_' || number % ${agents}, 'opr_x',
     case when number % 1000 = 0 then 'open' else 'completed' end, 'Which?', now()
   from generate_series(1, ${million}) as number`,
  `insert into schedules (organization_id, id, agent_id, cron, timezone, input, enabled, created_at, updated_at, created_by)
   select $1, 'sch_' || number, 'agt_x', '0 9 * * *', 'UTC', '"x"', true, now(), now(), '{}'
   from generate_series(1, ${schedules}) as number`,
  `insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, created_at,
     completed_at, schedule_id)
   select $1, 'run_' || lpad(number::text, 26, '0'), 'agt_x', 1, 'prj_x', case when number % 7 = 0 then 'failed' else 'completed' end,
     '"x"', '{}', now(), now(), 'sch_' || (number % ${schedules} + 1)
   from generate_series(1, ${million}) as number`,
  `insert into organization_webhooks (id, organization_id, url, events, secret, created_at, created_by)
   select 'whk_bench_' || number, $1, 'https://example.com/' || number, '{run.failed}', 'x', now(), 'x'
   from generate_series(1, ${webhooks}) as number`,
  `insert into organization_deliveries (id, webhook_id, event, body, state, attempts, created_at)
   select 'dlv_' || lpad(number::text, 26, '0'), 'whk_bench_' || (number % ${webhooks} + 1), 'run.failed', '{}',
     case when number % ${webhooks} < ${webhooks / 2} then 'failed' else 'delivered' end, 1, now()
   from generate_series(1, ${million}) as number`,
  `insert into brain_webhooks (brain_id, id, url, secret, created_at, created_by, examined_position, failing_since,
     failing_organization)
   select brain_id, 'whk_' || brain_id, 'https://example.com/', 'x', now(), 'x', 0,
     case when brain_id % 50 = 0 then now() end, case when brain_id % 50 = 0 then $1 end
   from brains where organization_id = $1`,
  `insert into management_keys (id, organization_id, hash, name, prefix, created_by, created_at, expires_at)
   select 'key_bench_' || number, $1, sha256(number::text::bytea), 'key', 'nsk_', 'x', now(), now() + number * interval '1 hour'
   from generate_series(1, ${keys}) as number`,
]

/** Fills an organization. Nothing is checked or noted beside the rows: that would take most of the time. */
export const fillNotifications = async (
  { url }: Pick<ScratchDatabase, 'url'>,
  organizationId: string,
  size: Size,
): Promise<void> => {
  const { pool, close } = openDatabase(url, createLog('error'), 1, { statementSeconds: 3_600 })
  await pool.query('set session_replication_role = replica; set synchronous_commit = off')
  for (const filling of toFillings(size)) await pool.query(filling, filling.includes('$1') ? [organizationId] : [])
  await pool.query('vacuum analyze')
  await close()
}

/** The reads that are measured, below `/v1/notifications`. */
export const notificationReads: readonly string[] = [
  '/waiting',
  '?limit=100',
  '?limit=100&order=desc',
  '?limit=100&state=open',
  '?limit=100&state=resolved&order=desc',
  '?limit=100&unread=true',
]
