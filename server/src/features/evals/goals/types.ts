import type { GoalBudget } from '@noema/contracts/goals.ts'
import type { Grader } from '@noema/contracts/graders.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { LeasedRow } from '../../../shared/concurrency/leased-work.ts'
import type { Pinned, ResultRow } from '../eval-runs/types.ts'

export type GoalKey = { organizationId: string; id: string }

/** A goal under a lease: without the lease nothing of its attempts can be stored. */
export type HeldGoal = GoalKey & { lease: string }

/** The state that is stored. A goal waits as long as the run of its attempt asks a person. */
export type StoredState = 'active' | 'paused' | 'met' | 'blocked' | 'exhausted' | 'abandoned'

export type GoalRow = GoalKey & {
  agentId: string
  conversationId: string
  objective: string
  criteria: Grader[]
  budget: GoalBudget
  state: StoredState
  isWaiting: boolean
  reason: string | null
  attempts: number
  bestScore: number
  costNanodollars: number
  runId: string | null
  taskId: string | null
  createdBy: Actor
  createdAt: Date
  updatedAt: Date
  completedAt: Date | null
}

/** A goal that this node works on. `stale`: attempts in a row without progress; `waits`: turns in a row that found nothing to do. */
export type LeasedGoal = LeasedRow &
  Pick<
    GoalRow,
    | 'id'
    | 'agentId'
    | 'conversationId'
    | 'objective'
    | 'criteria'
    | 'budget'
    | 'attempts'
    | 'bestScore'
    | 'costNanodollars'
    | 'createdBy'
  > & { pinned: Pick<Pinned, 'seed' | 'rubrics' | 'judges'>; stale: number; advice: string | null; waits: number }

/** An attempt as it is stored: the result of its answer, and its times. */
export type AttemptRow = Omit<ResultRow, 'caseId' | 'trial' | 'receipts' | 'runId'> & {
  number: number
  runId: string
  createdAt: Date
  completedAt: Date | null
}
