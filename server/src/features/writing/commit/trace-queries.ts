import { sql } from 'kysely'
import { type TraceContext, unpackTrace } from '../../../shared/tracing/trace-context.ts'
import type { Queryable } from '../../../storage/database.ts'

/** The spans of the traced writes and decisions that last changed these changes. */
export const selectTraces = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
): Promise<Map<string, TraceContext>> => {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; trace: Buffer }>`select id, trace from changes
    where brain_id = ${brainId} and id = any(${[...ids]}) and trace is not null`.execute(db)
  return new Map(
    rows.flatMap(({ id, trace }) => {
      const context = unpackTrace(trace)
      return context ? [[id, context] as const] : []
    }),
  )
}

/** The same of one change of any Brain of an organization, which was applied. */
export const selectTraceOfChange = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<TraceContext | undefined> => {
  const { rows } = await sql<{ trace: Buffer | null }>`select trace from changes
    where organization_id = ${organizationId} and id = ${id} and application = 'applied'`.execute(db)
  return unpackTrace(rows[0]?.trace ?? null)
}
