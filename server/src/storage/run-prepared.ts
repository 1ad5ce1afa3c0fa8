import { CompiledQuery, type PostgresPool, type RawBuilder } from 'kysely'
import type { Log } from '../shared/log.ts'
import type { Queryable, RunPrepared } from './database.ts'
import { createRun, createRunShared } from './run-statements.ts'
import type { StatementNames } from './statement-names.ts'
import { type BoundStatement, toBoundStatement } from './statements.ts'

/** `shared`: connections on which several short statements may be under way, where there are any. */
export const createRunPrepared = (
  { connections, shared }: { connections: PostgresPool; shared: PostgresPool | undefined },
  { names, log }: { names: StatementNames; log: Log },
): RunPrepared => {
  const run = createRun(connections)
  const runShort = shared ? createRunShared(shared) : run
  const isLogging = log.isLevelEnabled('trace')
  return async <Found extends object>(
    statement: RawBuilder<Found> | BoundStatement<Found>,
    on?: Queryable,
  ): Promise<Found[]> => {
    const { text, values, isShort } = 'text' in statement ? statement : toBoundStatement(statement)
    if (!names.known.has(text)) names.add(text)
    if (on) return (await on.executeQuery<Found>(CompiledQuery.raw(text, [...values]))).rows
    if (isLogging) log.trace({ sql: text }, 'prepared sql')
    return (await (isShort ? runShort : run)<Found>(text, values)).rows
  }
}
