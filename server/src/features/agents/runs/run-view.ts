import type { Run, RunState, RunStatus } from '@noema/contracts/runs.ts'
import type { z } from 'zod'
import { summarizeActor } from '../../../shared/actor.ts'
import { nanodollarsPerCent } from '../../../shared/nanodollars.ts'
import type { RunRow } from './types.ts'

const statuses = {
  queued: 'pending',
  running: 'running',
  waiting: 'running',
  completed: 'succeeded',
  failed: 'failed',
  abandoned: 'abandoned',
} as const satisfies Record<RunState, RunStatus>

/** The status of a run in a state. */
export const toStatus = (state: RunState): RunStatus => statuses[state]

/** A run as answers show it. Costs are rounded here and nowhere else. */
export const runView = (row: RunRow): Run => {
  const optional = {
    metadata: row.metadata as Run['metadata'] | null,
    output: row.output as z.core.util.JSONType | null,
    failureReason: row.failureReason,
    failureCategory: row.failureCategory,
    abandonReason: row.abandonReason,
    trigger:
      row.triggerId === null || row.triggerCursor === null ? null : { id: row.triggerId, cursor: row.triggerCursor },
    scheduleId: row.scheduleId,
    parentRunId: row.parentRunId,
    flow: row.flow,
  }
  const { inputTokens, outputTokens, costNanodollars } = row
  return {
    runId: row.id,
    agentId: row.agentId,
    agentVersion: row.agentVersion,
    projectId: row.projectId,
    conversationId: row.conversationId,
    state: row.state,
    status: toStatus(row.state),
    input: row.input,
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== null && value !== undefined),
    ) as Partial<Run>),
    usage: {
      ...{ inputTokens, outputTokens },
      ...(row.isCostKnown ? { costCents: Math.round(costNanodollars / nanodollarsPerCent) } : {}),
    },
    startedBy: summarizeActor(row.startedBy),
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}
