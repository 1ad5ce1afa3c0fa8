import { sql } from 'kysely'
import type { LeaseRequest } from '../../../shared/concurrency/leased-work.ts'
import type { Queryable } from '../../../storage/database.ts'
import { leaseWork } from '../../../storage/organization-work-queries.ts'
import type { LeasedDistillation } from './types.ts'

const columns = sql`work.id, work.phase, work.brain, work.definition, work.started_by as "startedBy", work.waits`

/** Leases distillations of these organizations that are due, as far as the shares allow. */
export const leaseDistillations = (db: Queryable, request: LeaseRequest) =>
  leaseWork<LeasedDistillation>(db, { table: 'distillations', columns }, request)
