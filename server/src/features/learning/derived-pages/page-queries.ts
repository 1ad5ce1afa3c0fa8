import type { DerivedPage } from '@noema/contracts/derived-pages.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type { DueKey, DuePage } from '../../../shared/concurrency/leased-work.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import type { NarrowBrains } from '../../kernel/leases/lease-queries.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import type { PageKey, PageRow, PageState } from './types.ts'

const columns = sql`brain_id as "brainId", document_id as "documentId", id, agent_id as "agentId", question, addresses,
  set_by as "setBy", updated_at as "updatedAt", used, examined_position as examined, next_position as next, revision, lineage,
  reason, run_id as "runId", is_running as "isRunning", change_id as change, paused_reason as "pausedReason", failures,
  due_at as "dueAt"`

/** The condition that a page has something to do: the clock made it due, or the stream has moved. */
const hasWork = (now: Date) => sql`page.paused_reason is null and (page.due_at <= ${now}
  or (page.due_at is null and brain.position > greatest(page.examined_position, coalesce(page.next_position, 0))))`

/** Active Brains with derived pages that have something to do, of some. */
export const brainsWithDuePages = (narrow: NarrowBrains, now: Date): RawBuilder<unknown> => sql`
  select brain.brain_id, min(page.due_at) as due from derived_pages as page join brains as brain using (brain_id)
  where brain.deleted_at is null and brain.availability = 'active' and ${hasWork(now)} and ${narrow(sql`page.brain_id`)}
  group by brain.brain_id`

/** Selects Brains with derived pages that the clock made due, by number. */
export const selectBrainsWithDuePages = (page: DuePage): RawBuilder<DueKey> =>
  selectDueKeys({ table: 'derived_pages', key: 'brain_id', where: sql`paused_reason is null` }, page)

/** The next page of a Brain that has something to do, after one. */
export const selectDuePage = async (
  db: Queryable,
  { brainId, documentId }: PageKey,
  now: Date,
): Promise<PageRow | undefined> => {
  const { rows } = await sql<PageRow>`select ${columns} from (
      select page.* from derived_pages as page join brains as brain using (brain_id)
      where page.brain_id = ${brainId} and page.document_id > ${documentId} and brain.deleted_at is null and ${hasWork(now)}
      order by page.document_id limit 1) as page`.execute(db)
  return rows[0]
}

export const selectPage = async (db: Queryable, { brainId, documentId }: PageKey): Promise<PageRow | undefined> => {
  const { rows } = await sql<PageRow>`select ${columns} from derived_pages
    where brain_id = ${brainId} and document_id = ${documentId}`.execute(db)
  return rows[0]
}

export const selectPages = async (db: Queryable, brainId: number, page: PageRequest<string>): Promise<PageRow[]> => {
  const { rows } = await sql<PageRow>`select ${columns} from derived_pages
    where brain_id = ${brainId} and ${isAfter(sql`document_id`, page)}
    ${inOrder(sql`document_id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Locks a Brain's pages until the transaction ends, so that their maximum is exact; counts the others. */
export const countOthers = async (tx: Tx, { brainId, documentId }: PageKey): Promise<number> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`derived pages ${brainId}`}, 0))`.execute(tx)
  const { rows } = await sql<{ count: number }>`select count(*) as count from derived_pages
    where brain_id = ${brainId} and document_id <> ${documentId}`.execute(tx)
  return rows[0]?.count ?? 0
}

type NewPage = PageKey &
  Pick<PageRow, 'id' | 'agentId' | 'question' | 'addresses'> & { setBy: Actor; now: Date; position: number }

/** Sets a page, which makes it due. A run that writes it now, and a change that waits, are no longer its own. */
export const upsertPage = (tx: Tx, given: NewPage) =>
  sql`insert into derived_pages as page (brain_id, document_id, id, agent_id, question, addresses, set_by, updated_at,
      examined_position, due_at)
    values (${given.brainId}, ${given.documentId}, ${given.id}, ${given.agentId}, ${given.question},
      ${given.addresses === null ? null : JSON.stringify(given.addresses)}::json, ${actorValue(given.setBy)}, ${given.now},
      ${given.position}, ${given.now})
    on conflict (brain_id, document_id) do update set id = excluded.id, agent_id = excluded.agent_id, question = excluded.question,
      addresses = excluded.addresses, set_by = excluded.set_by, updated_at = excluded.updated_at,
      examined_position = excluded.examined_position, next_position = null, lineage = '[]', reason = null, is_running = false,
      change_id = null, paused_reason = null, failures = 0, due_at = excluded.due_at`.execute(tx)

export const removePage = async (tx: Tx, { brainId, documentId }: PageKey): Promise<boolean> => {
  await sql`delete from derived_rewrites where brain_id = ${brainId} and document_id = ${documentId}`.execute(tx)
  const { rows } = await sql`delete from derived_pages where brain_id = ${brainId} and document_id = ${documentId}
    returning document_id`.execute(tx)
  return rows.length > 0
}

/** Stores what a turn did with a page; false if the page was set again meanwhile, or is gone. */
export const storePage = async (
  db: Queryable,
  { brainId, documentId, id, updatedAt }: Pick<PageRow, 'brainId' | 'documentId' | 'id' | 'updatedAt'>,
  state: PageState,
): Promise<boolean> => {
  const { rows } = await sql`update derived_pages set used = ${JSON.stringify(state.used)}::json,
      examined_position = ${state.examined}, next_position = ${state.next}, revision = ${state.revision},
      lineage = ${JSON.stringify(state.lineage)}::json, reason = ${state.reason}, run_id = ${state.runId},
      is_running = ${state.isRunning}, change_id = ${state.change}, paused_reason = ${state.pausedReason},
      failures = ${state.failures}, due_at = ${state.dueAt}
    where brain_id = ${brainId} and document_id = ${documentId} and id = ${id} and updated_at = ${updatedAt}
    returning document_id`.execute(db)
  return rows.length > 0
}

/** A rewrite as answers show it, with its page. */
export type RewriteRow = Omit<DerivedPage['rewrites'][number], 'at'> & { documentId: string; at: Date }

/** Adds a rewrite, once, and forgets old ones of its page. */
export const insertRewrite = async (
  db: Queryable,
  { brainId, documentId }: PageKey,
  { change, runId, reason, lineage, at }: Omit<RewriteRow, 'documentId'> & { lineage: readonly string[] },
): Promise<void> => {
  await sql`insert into derived_rewrites (brain_id, change_id, document_id, run_id, reason, lineage, at)
    values (${brainId}, ${change}, ${documentId}, ${runId}, ${reason}, ${JSON.stringify(lineage)}::json, ${at})
    on conflict do nothing`.execute(db)
  await sql`delete from derived_rewrites where brain_id = ${brainId} and document_id = ${documentId} and change_id < (
    select min(change_id) from (select change_id from derived_rewrites
      where brain_id = ${brainId} and document_id = ${documentId} order by change_id desc limit 50) as newest)`.execute(
    db,
  )
}

/** The newest rewrites of some pages. */
export const selectRewrites = async (
  db: Queryable,
  brainId: number,
  documentIds: readonly string[],
): Promise<RewriteRow[]> => {
  const { rows } = await sql<RewriteRow>`
    select newest.* from unnest(${[...documentIds]}::text[]) as page (id) cross join lateral (
      select document_id as "documentId", change_id as change, run_id as "runId", reason, at from derived_rewrites
      where brain_id = ${brainId} and document_id = page.id order by change_id desc limit 10) as newest`.execute(db)
  return rows
}

/** The pages whose rewrites led to some changes, by change. */
export const selectRewriteLineages = async (
  db: Queryable,
  brainId: number,
  changes: readonly string[],
): Promise<Map<string, string[]>> => {
  if (changes.length === 0) return new Map()
  const { rows } = await sql<{
    change: string
    lineage: string[]
  }>`select change_id as change, lineage from derived_rewrites
    where brain_id = ${brainId} and change_id = any(${[...changes]}::text[])`.execute(db)
  return new Map(rows.map(({ change, lineage }) => [change, lineage]))
}

/** The decisions about a change of a Brain; undefined if there is none. */
export const selectDecision = async (
  db: Queryable,
  brainId: number,
  id: string,
): Promise<{ decision: string; application: string; decisionReason: string | null } | undefined> => {
  const { rows } = await sql<{ decision: string; application: string; decisionReason: string | null }>`
    select decision, application, decision_reason as "decisionReason" from changes
    where brain_id = ${brainId} and id = ${id}`.execute(db)
  return rows[0]
}

/** Those of some changes of a Brain that correct others, with what they correct. */
export const selectCorrections = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
): Promise<{ id: string; corrects: string }[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string; corrects: string }>`select id, corrects from changes
    where brain_id = ${brainId} and id = any(${[...ids]}::text[]) and corrects is not null
      and application = 'applied' order by id limit 100`.execute(db)
  return rows
}
