import { sql } from 'kysely'
import type { LeaseRequest } from '../../../shared/concurrency/leased-work.ts'
import type { Queryable } from '../../../storage/database.ts'
import { leaseWork } from '../../../storage/organization-work-queries.ts'
import type { LeasedGoal } from './types.ts'

const columns = sql`work.id, work.agent_id as "agentId", work.conversation_id as "conversationId", work.objective, work.criteria,
  work.pinned, work.budget, work.attempts, work.stale, work.best_score as "bestScore",
  work.cost_nanodollars as "costNanodollars", work.advice, work.waits, work.created_by as "createdBy"`

/** Leases goals of these organizations that are due, as far as the shares allow. They stay active. */
export const leaseGoals = (db: Queryable, request: LeaseRequest) =>
  leaseWork<LeasedGoal>(db, { table: 'goals', columns, state: sql`work.state` }, request)
