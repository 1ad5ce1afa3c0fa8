import { newId } from '../../../shared/ids.ts'
import type { TestApp } from '../../../test/app.ts'

/** A run as rows of its tables: for tests of readers, without a worker. */
export const insertRun = async (
  { database }: Pick<TestApp, 'database'>,
  organizationId: string,
  { state = 'running', lease = 'held' }: { state?: string; lease?: string } = {},
) => {
  const id = newId('run')
  const completed = ['completed', 'failed', 'abandoned'].includes(state)
  await database.pool.query(
    `insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, created_at,
       completed_at, lease)
     values ($1, $2, 'agt_sample', 1, 'prj_sample', $3, '"What?"', '{"type":"key","id":"key_sample"}', now(),
       case when $4 then now() end, $5)`,
    [organizationId, id, state, completed, lease],
  )
  return { organizationId, id, lease }
}

/** Ends a run for its readers. */
export const endRunRow = ({ database }: Pick<TestApp, 'database'>, { id }: { id: string }) =>
  database.pool.query(`update runs set state = 'completed', completed_at = now(), lease = null where id = $1`, [id])

/** An operation in the journal of a run, with the columns that are given. */
export const insertOperation = async (
  { database }: Pick<TestApp, 'database'>,
  { organizationId, id: runId }: { organizationId: string; id: string },
  columns: Record<string, unknown> = {},
): Promise<string> => {
  const id = newId('opr')
  const row: Record<string, unknown> = {
    ...{ organization_id: organizationId, run_id: runId, id, sequence: 1, step: 1 },
    ...{ type: 'tool_call', name: 'search', status: 'succeeded', agent_id: 'agt_sample', project_id: 'prj_sample' },
    ...{ created_at: new Date(), ...columns },
  }
  const names = Object.keys(row)
  await database.pool.query(
    `insert into run_operations (${names.join(', ')}) values (${names.map((_name, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  )
  return id
}
