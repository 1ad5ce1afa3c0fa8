import { listChildren, readCpuMilliseconds, readParent, type ServerProcess } from './child.ts'
import type { ScratchDatabase } from './scratch-postgres.ts'

// The CPU that work costs: other work on the machine changes it little.

/** The process that started all others of a PostgreSQL. */
export const findPostmaster = async ({ pool }: Pick<ScratchDatabase, 'pool'>): Promise<number> => {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  return readParent(rows[0]?.pid ?? 0) ?? 0
}

/** Time on a processor of a PostgreSQL and of all that it started, those that ended included. */
export const createPostgresCpu = async (database: Pick<ScratchDatabase, 'pool'>): Promise<() => number> => {
  const postmaster = await findPostmaster(database)
  return () =>
    [postmaster, ...listChildren(postmaster)]
      .map((pid) => readCpuMilliseconds(pid) ?? 0)
      .reduce((sum, one) => sum + one, 0)
}

/** Reads the time on a processor of a server and of its PostgreSQL. */
export const createCpuReaders = async (
  database: ScratchDatabase,
): Promise<(server: ServerProcess) => () => { server: number | undefined; PostgreSQL: number }> => {
  const readPostgres = await createPostgresCpu(database)
  return (server) => () => ({ server: server.cpuMilliseconds(), PostgreSQL: readPostgres() })
}
