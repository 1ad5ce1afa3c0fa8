import { CompiledQuery, type DatabaseConnection, PostgresDialect, PostgresDriver, type PostgresPool } from 'kysely'

// A transaction on a cluster's coordinator may write both to a worker's shards and to local tables. Citus does not track writes to local
// tables, so it commits on the worker first. If the coordinator stops before its own commit, half of the transaction remains. A statement
// that targets a table of the coordinator that Citus manages makes it use a two-phase commit.

const marker = 'two_phase_marker'
const markFunction = 'noema_use_two_phases'

/** PostgreSQL assigns an ID only to transactions that write on the coordinator. All others commit in one phase. */
const createMark = `
  create or replace function ${markFunction}() returns void language plpgsql as $$
  begin
    if pg_current_xact_id_if_assigned() is not null then delete from ${marker} where number = 0; end if;
  end $$`

/** Adds what two-phase commits need to a coordinator. It may be repeated after it stopped at any moment, and not run twice at once. */
export const addTwoPhaseCommits = async (run: (text: string) => Promise<{ rows: unknown[] }>): Promise<void> => {
  const { rows } = await run(`select 1 from pg_dist_partition where logicalrelid = to_regclass('${marker}')`)
  if (rows.length > 0) return
  await run(`create table if not exists ${marker} (number integer primary key)`)
  await run(createMark)
  await run(`select citus_add_local_table_to_metadata('${marker}')`)
}

class CoordinatorDriver extends PostgresDriver {
  /** In one message: a transaction that was refused stops at the first statement, and is not committed. */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`select ${markFunction}(); commit`))
  }
}

/** Commits all of a transaction on a cluster's coordinator, or nothing of it. */
export class CoordinatorDialect extends PostgresDialect {
  readonly #pool: PostgresPool

  constructor(pool: PostgresPool) {
    super({ pool })
    this.#pool = pool
  }

  override createDriver(): CoordinatorDriver {
    return new CoordinatorDriver({ pool: this.#pool })
  }
}
