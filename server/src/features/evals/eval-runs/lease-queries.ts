import { sql } from 'kysely'
import type { LeaseRequest } from '../../../shared/concurrency/leased-work.ts'
import type { Queryable } from '../../../storage/database.ts'
import { leaseWork } from '../../../storage/organization-work-queries.ts'
import type { LeasedEvalRun } from './types.ts'

const columns = sql`work.id, work.eval_id as "evalId", work.eval_version as "evalVersion", work.target, work.pinned,
  work.agent_version as "agentVersion", work.trials, work.started_by as "startedBy", work.baseline_id as "baselineId",
  work.next_case as "nextCase", work.waits`

/** Leases runs of evals of these organizations that are due, as far as the shares allow. */
export const leaseEvalRuns = (db: Queryable, request: LeaseRequest) =>
  leaseWork<LeasedEvalRun>(db, { table: 'eval_runs', columns }, request)
