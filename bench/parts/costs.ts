import { listChildren, readCpuMilliseconds, readParent, readWrittenBytes, type ServerProcess } from './child.ts'
import type { ScratchDatabase } from './scratch-postgres.ts'

// What work costs in figures that other work on the machine does not change: time on a processor, statements and bytes.

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

export type Costs = {
  /** Milliseconds on a processor of the process that does the work, and of PostgreSQL. */
  process: number
  postgres: number
  /** Statements that PostgreSQL ran, and what of its time was planning. */
  statements: number
  planning: number
  /** Bytes that the process wrote: statements and answers. */
  bytes: number
}

/** The setting under which a PostgreSQL counts statements. */
export const countingSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'top',
  'pg_stat_statements.track_planning': 'on',
}

/** Reads what a process and its database have spent until now. The PostgreSQL runs with `countingSettings`. */
export const createCostReader = async (pid: number, database: ScratchDatabase): Promise<() => Promise<Costs>> => {
  const readPostgres = await createPostgresCpu(database)
  await database.pool.query('create extension if not exists pg_stat_statements')
  return async () => {
    const { rows } = await database.pool.query<{ statements: number; planning: number }>(`
      select sum(calls)::float8 as statements, sum(total_plan_time)::float8 as planning from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database())`)
    return {
      process: readCpuMilliseconds(pid) ?? Number.NaN,
      postgres: readPostgres(),
      statements: rows[0]?.statements ?? 0,
      planning: rows[0]?.planning ?? 0,
      bytes: readWrittenBytes(pid) ?? Number.NaN,
    }
  }
}

/** What each of so many pieces of work cost, in words. */
export const describeCosts = (before: Costs, after: Costs, count: number): string => {
  const each = (name: keyof Costs) => (after[name] - before[name]) / count
  return [
    `${each('statements').toFixed(1)} statements`,
    `${(each('bytes') / 1000).toFixed(1)} kB written`,
    `${each('process').toFixed(1)} ms of CPU`,
    `${each('postgres').toFixed(1)} ms of PostgreSQL's, ${each('planning').toFixed(1)} of them planning`,
  ].join(', ')
}

/** The statements that took a database longest, each with how often it ran for a piece of work. */
export const describeStatements = async ({ pool }: ScratchDatabase, count: number): Promise<string[]> => {
  const { rows } = await pool.query<{ calls: number; planned: number; ran: number; rows: number; query: string }>(`
    select calls::float8, total_plan_time as planned, total_exec_time as ran, rows::float8,
      left(regexp_replace(query, '\\s+', ' ', 'g'), 140) as query
    from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
    order by total_plan_time + total_exec_time desc limit 30`)
  return rows.map(({ calls, planned, ran, query }) => {
    const figures = [calls / count, planned / count, ran / count].map((figure) => figure.toFixed(2).padStart(7))
    return `${figures.join(' ')}  ${query}`
  })
}

/** Forgets what statements took until now. */
export const resetStatements = ({ pool }: ScratchDatabase) => pool.query('select pg_stat_statements_reset()')
