import type { EvalRun, EvalSummary } from '@noema/contracts/eval-runs.ts'
import type { EvalTarget } from '@noema/contracts/evals.ts'
import type { Grade } from '@noema/contracts/graders.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { LeasedRow } from '../../../shared/concurrency/leased-work.ts'

export type EvalRunKey = { organizationId: string; id: string }

/** A Brain that is read: whole, or the section of it that a part of a corpus has. */
export type PinnedRead = {
  part: number
  brainId: string
  brain: string
  asOf: number
  section?: object | undefined
  /** True if the corpus itself names this state. */
  isFixed?: boolean | undefined
}

/** Versions of rubrics by name, and of judges by id. */
export type PinnedGraders = { rubrics: Record<string, number>; judges: Record<string, number> }

/** The states and versions that a run uses to its end. `seed`: a random text that only the run has, for the codes of its judges. */
export type Pinned = PinnedGraders & {
  seed: string
  reads: PinnedRead[]
  /** The pending change with which a Brain is read, by its id. */
  change?: { id: string; brainId: string } | undefined
}

export type EvalRunRow = EvalRunKey & {
  evalId: string
  evalVersion: number
  state: EvalRun['state']
  target: EvalTarget
  pinned: Pinned
  agentVersion: number | null
  /** The pending change with which a Brain is read. */
  changeId: string | null
  trials: number
  cases: number
  done: number
  passed: number
  startedBy: Actor
  baselineId: string | null
  /** The comparison with the baseline, once there is one. */
  baseline: { delta: number | null; flipped: string[]; flippedCases: number } | null
  summary: EvalSummary | null
  waiting: string | null
  failureReason: string | null
  createdAt: Date
  completedAt: Date | null
}

/** A run that this node works on. `waits`: turns in a row that found nothing to do. */
export type LeasedEvalRun = LeasedRow &
  Pick<
    EvalRunRow,
    'id' | 'evalId' | 'evalVersion' | 'target' | 'pinned' | 'agentVersion' | 'trials' | 'startedBy' | 'baselineId'
  > & { nextCase: string; waits: number }

/** The result of a case in one trial, as it is stored. */
export type ResultRow = {
  caseId: string
  trial: number
  state: 'running' | 'judging' | 'done'
  runId: string | null
  receipts: string[] | null
  output: string | null
  error: string | null
  grades: Grade[]
  pending: Record<string, string> | null
  passed: boolean | null
  score: number | null
  costNanodollars: number
  milliseconds: number | null
}
