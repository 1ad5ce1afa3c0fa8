import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

// Sites as all nodes know them: one node at a time calls a site, and none before the time for which it asked to wait.

const toKey = (host: string): Buffer => createHash('sha256').update(host).digest()

/** `mayCall`: this node has the site now. Otherwise the site asked to wait until `waitUntil`, or another node calls it at present. */
export type Claim = { mayCall: boolean; waitUntil: Date | null }

type Claiming = { host: string; node: string; now: Date; heldUntil: Date }

/** Claims a site for a node, unless another one has it or the site asked to wait. */
export const claimSite = async (db: Queryable, { host, node, now, heldUntil }: Claiming): Promise<Claim> => {
  const { rows } = await sql<Claim>`
    with claimed as (
      insert into web_sites as site (host, node, held_until) values (${toKey(host)}, ${node}, ${heldUntil})
      on conflict (host) do update set node = excluded.node, held_until = excluded.held_until
        where coalesce(site.wait_until, '-infinity') <= ${now} and (site.node = excluded.node or site.held_until <= ${now})
      returning host)
    select exists(select from claimed) as "mayCall",
      (select wait_until from web_sites where host = ${toKey(host)} and wait_until > ${now}) as "waitUntil"`.execute(db)
  return rows[0] ?? { mayCall: false, waitUntil: null }
}

/** Records that a site asked to wait. */
export const recordWait = (db: Queryable, { host, node, until }: { host: string; node: string; until: Date }) =>
  sql`insert into web_sites as site (host, node, held_until, wait_until)
    values (${toKey(host)}, ${node}, ${until}, ${until})
    on conflict (host) do update set wait_until = greatest(site.wait_until, excluded.wait_until)`.execute(db)

/** Deletes some sites that no node has called since a time, and that wait for nothing. Answers how many. */
export const deleteSites = async (db: Queryable, { before, limit }: { before: Date; limit: number }) => {
  const { rows } = await sql`
    delete from web_sites where host = any(array(
      select host from web_sites where held_until < ${before} and coalesce(wait_until, '-infinity') < ${before}
      limit ${limit} for update skip locked)) returning host`.execute(db)
  return rows.length
}
