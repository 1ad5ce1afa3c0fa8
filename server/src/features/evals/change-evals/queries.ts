import { maxFlippedCases } from '@noema/contracts/change-evals.ts'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

type Flipped = { count: number; ids: string[] }

/** The cases of a run that pass only in its baseline, and those that pass only in the run: how many, and the first of them. */
export const selectFlipped = async (
  db: Queryable,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<{ broken: Flipped; mended: Flipped }> => {
  const { rows } = await sql<{ isBroken: boolean } & Flipped>`
    select baseline_passed as "isBroken", count(*) as count,
      (array_agg(case_id order by case_id))[1:${sql.lit(maxFlippedCases)}] as ids
    from eval_results where organization_id = ${organizationId} and eval_run_id = ${id} and is_flipped and trial = 1
    group by baseline_passed`.execute(db)
  const find = (isBroken: boolean): Flipped => {
    const { count = 0, ids = [] } = rows.find((row) => row.isBroken === isBroken) ?? {}
    return { count, ids }
  }
  return { broken: find(true), mended: find(false) }
}
