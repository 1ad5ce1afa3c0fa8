import { setTimeout as delay } from 'node:timers/promises'
import type { Noema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { percentile } from '../parts/statistics.ts'
import { say } from '../webhooks/parts.ts'
import { startRun } from './agents.ts'

const describe = (values: readonly number[]): string => {
  const sorted = values.toSorted((a, b) => a - b)
  return `p50 ${percentile(sorted, 0.5).toFixed(1)} ms, p99 ${percentile(sorted, 0.99).toFixed(1)} ms`
}

/** From POST to 202, and from there to the first operation, on a service that does nothing else. */
export const measureStart = async (noema: Noema, { pool }: ScratchDatabase, agentId: string): Promise<void> => {
  const answered: number[] = []
  for (let n = 0; n < 120; n++) {
    const began = performance.now()
    await startRun(noema, agentId)
    if (n >= 20) answered.push(performance.now() - began)
    await delay(50)
  }
  const { rows } = await pool.query<{ waited: number }>(`
    select extract(epoch from min(operation.created_at) - run.created_at)::float8 * 1000 as waited
    from runs as run join run_operations as operation on operation.run_id = run.id
    where operation.type <> 'system_action' group by run.id, run.created_at`)
  say(`start: POST to 202 ${describe(answered)} (goal: p50 at most 10)`)
  say(`start: queued to the first operation ${describe(rows.map(({ waited }) => waited))} (goal: p50 at most 50)`)
}
