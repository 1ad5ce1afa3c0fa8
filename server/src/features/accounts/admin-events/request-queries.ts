import type { AccessRequest } from '@noema/contracts/access-requests.ts'
import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

type State = AccessRequest['state']

/** A request as stored. The message is in JSON that SQL must not parse, because it can be any text. */
export type RequestRow = {
  id: string
  detail: { email: string; message?: string }
  decision: Exclude<State, 'waiting'> | null
  createdAt: Date
  decidedAt: Date | null
  decidedBy: string | null
  reason: string | null
  tier: AccessRequest['tier']
  code: { code: string; usesLeft: number | null; expiresAt: string | null } | null
  account: AccessRequest['account']
}

const isOfState = (state: State | undefined) => {
  if (state === undefined) return sql``
  return state === 'waiting' ? sql`and decision is null` : sql`and decision = ${state}`
}

const selectRequests = async (db: Queryable, rows: ReturnType<typeof sql>, order: ReturnType<typeof sql>) =>
  (
    await sql<RequestRow>`
    select event.id, event.detail, event.decision, event.created_at as "createdAt", event.decided_at as "decidedAt",
      event.decided_by as "decidedBy", event.reason, event.tier,
      (select json_build_object('code', code.code, 'usesLeft', greatest(code.max_uses - code.use_count, 0),
          'expiresAt', code.expires_at) from invitation_codes as code where code.code = event.code) as code,
      (select json_build_object('userId', account.id, 'organization', (
          select json_build_object('id', own.id, 'name', own.name, 'tier', own.tier) from organization as own
            join member on member."organizationId" = own.id and member."userId" = account.id and member.role = 'owner'
          where own.personal_of = account.id and own.ended_at is null limit 1))
        from "user" as account where account.email = event.email) as account
    from (${rows}) as event ${order}`.execute(db)
  ).rows

/** A page of requests for access. */
export const selectRequestPage = (db: Queryable, state: State | undefined, page: PageRequest<string>) =>
  selectRequests(
    db,
    sql`select * from admin_events where kind = 'access_request' ${isOfState(state)} and ${isAfter(sql`id`, page)}
      ${inOrder(sql`id`, page)} limit ${page.limit}`,
    inOrder(sql`event.id`, page),
  )

export const selectRequest = async (db: Queryable, id: string): Promise<RequestRow | undefined> => {
  const rows = await selectRequests(
    db,
    sql`select * from admin_events where kind = 'access_request' and id = ${id}`,
    sql``,
  )
  return rows[0]
}

/** Serializes decisions about one address and returns its waiting requests; undefined if there is no such request. */
export const lockRequest = async (tx: Tx, id: string) => {
  const { rows } = await sql<{ email: string }>`
    select email from admin_events where kind = 'access_request' and id = ${id}`.execute(tx)
  const [found] = rows
  if (!found) return undefined
  await sql`select pg_advisory_xact_lock(hashtextextended('access request ' || ${found.email}, 0))`.execute(tx)
  const { rows: waiting } = await sql<{ id: string }>`
    select id from admin_events where kind = 'access_request' and email = ${found.email} and decision is null
    order by id`.execute(tx)
  return { email: found.email, waiting: waiting.map((row) => row.id) }
}

type Decision = {
  decision: Exclude<State, 'waiting'>
  decidedAt: Date
  decidedBy: string
  reason?: string
  tier?: string
  code?: string | undefined
}

export const storeDecision = (tx: Tx, ids: readonly string[], given: Decision) =>
  sql`
  update admin_events set decision = ${given.decision}, decided_at = ${given.decidedAt}, decided_by = ${given.decidedBy},
    reason = ${given.reason ?? null}, tier = ${given.tier ?? null}, code = ${given.code ?? null}
  where id = any(${ids}::text[]) and decision is null`.execute(tx)
