import type { OpenDatabase } from '../../server/src/storage/database.ts'
import { createPostgresCpu } from '../parts/costs.ts'
import type { Noema } from '../parts/noema.ts'

/** A server of a side: a connection that counts its work, and its CPU in milliseconds. */
export type Server = { role: string; database: OpenDatabase; readCpu(): number }

/** Sums since the server's start. CPU in microseconds. */
export type Work = { statements: number; transactions: number; prepared: number; wal: number; cpu: number }

/** The CPU of a service, and the work of each server by its role. */
export type Works = { service: number; servers: Map<string, Work> }

export const openServer = async (role: string, database: OpenDatabase): Promise<Server> => ({
  ...{ role, database, readCpu: await createPostgresCpu(database) },
})

const readWork = async ({ database, readCpu }: Server): Promise<Work> => {
  const { rows } = await database.pool.query(`
    select sum(calls) as statements, sum(calls) filter (where query ilike 'prepare transaction%') as prepared,
      (select xact_commit from pg_stat_database where datname = current_database()) as transactions,
      pg_current_wal_lsn() - '0/0' as wal
    from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`)
  const { statements, prepared, transactions, wal } = rows[0]
  return {
    ...{ statements: Number(statements), prepared: Number(prepared), transactions: Number(transactions) },
    ...{ wal: Number(wal), cpu: 1_000 * readCpu() },
  }
}

export const readServers = async (servers: readonly Server[], noema: Noema): Promise<Works> => {
  const found = new Map<string, Work>()
  for (const server of servers) found.set(server.role, await readWork(server))
  return { service: 1_000 * (noema.cpuMilliseconds() ?? 0), servers: found }
}

const figures = ['statements', 'transactions', 'prepared', 'wal', 'cpu'] as const

/** The work of one write. */
export const toPerWrite = (before: Works, after: Works, writes: number): Works => {
  const perWrite = (role: string, work: Work): Work => {
    const earlier = before.servers.get(role)
    const share = (figure: (typeof figures)[number]) => (work[figure] - (earlier?.[figure] ?? 0)) / writes
    return Object.fromEntries(figures.map((figure) => [figure, share(figure)])) as Work
  }
  return {
    service: (after.service - before.service) / writes,
    servers: new Map([...after.servers].map(([role, work]) => [role, perWrite(role, work)])),
  }
}
