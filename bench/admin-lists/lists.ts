import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'

// What operators and owners list, with a million rows of each: entries of the audit log, admin events, mails, and organizations.

const million = 1_000_000

/** Statements that fill the tables, `$1` an organization, as the features would. */
const fillings: readonly string[] = [
  `insert into audit_entries (organization_id, id, at, actor, action, target_type, target_id, target, before, after)
   select $1, 'aud_' || lpad(number::text, 26, '0'), now(), '{"type":"session","id":"u","userId":"u"}',
     case when number % 1000 = 0 then 'key.minted' else 'brain.changed' end, 'brain', 'brn_' || number % 5000,
     json_build_object('type', 'brain', 'id', 'brn_' || number % 5000, 'name', 'brain'), '{"mode":"direct"}', '{"mode":"review"}'
   from generate_series(1, ${million}) as number`,
  `insert into admin_events (id, kind, email, summary, detail, notification_type, created_at)
   select 'evt_' || lpad(number::text, 26, '0'), case when number % 50 = 0 then 'access_request' else 'signup' end,
     'somebody' || number || '@example.com', 'Somebody signed up.',
     json_build_object('kind', case when number % 50 = 0 then 'access_request' else 'signup' end,
       'email', 'somebody' || number || '@example.com', 'userId', 'u' || number),
     case when number % 50 = 0 then 'email' end, now()
   from generate_series(1, ${million}) as number`,
  `insert into mail_outbox (id, recipient, subject, body, created_at, sent_at, about)
   select 'msg_' || lpad(number::text, 26, '0'), 'somebody' || number || '@example.com', 'Confirm your address', '', now(), now(),
     case when number % 50 = 0 then 'evt_' || lpad(number::text, 26, '0') end
   from generate_series(1, ${million}) as number`,
  `insert into "user" (id, name, email) select 'u' || number, 'Somebody', 'somebody' || number || '@example.com'
   from generate_series(1, ${million}) as number`,
  `insert into organization (id, name, slug) select 'o' || number, 'Somebody', 'somebody-' || number
   from generate_series(1, ${million}) as number`,
  `insert into member (id, "organizationId", "userId", role) select 'm' || number, 'o' || number, 'u' || number, 'owner'
   from generate_series(1, ${million}) as number`,
]

/** Fills the tables. Nothing is checked beside the rows: that would take most of the time. */
export const fillLists = async ({ url }: Pick<ScratchDatabase, 'url'>, organizationId: string): Promise<void> => {
  const { pool, close } = openDatabase(url, createLog('error'), 1, { statementSeconds: 3_600 })
  await pool.query('set session_replication_role = replica; set synchronous_commit = off')
  for (const filling of fillings) await pool.query(filling, filling.includes('$1') ? [organizationId] : [])
  await pool.query('vacuum analyze')
  await close()
}

/** The reads that are measured, and what each may take. */
export const listReads: readonly { path: string; goal: number }[] = [
  // What any request costs on this machine at this hour.
  { path: '/livez', goal: 20 },
  { path: '/v1/whoami', goal: 20 },
  ...[
    ...['/v1/audit?limit=100', '/v1/audit?limit=100&order=desc', '/v1/audit?limit=100&action=key.minted'],
    ...[
      '/v1/audit?limit=100&action=key.minted&order=desc',
      '/v1/audit?limit=100&target=brn_77',
      '/v1/audit?action=tier.set',
    ],
    ...['/v1/admin/events', '/v1/admin/events?kind=access_request', '/v1/admin/events?limit=200&offset=10000'],
    ...['/v1/admin/organizations?limit=100', '/v1/admin/organizations?owner=somebody500000@example.com'],
    '/v1/admin/mail?limit=100&order=desc',
  ].map((path) => ({ path, goal: 20 })),
  { path: '/v1/admin/health', goal: 50 },
]
