import type { Schedule } from '@noema/contracts/schedules.ts'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { Time } from '../../components/time.tsx'
import { useAgentList, useEvalList } from '../../data/use-names.ts'
import { LastRunCell } from './automation-state.tsx'
import { nameAgent } from './trigger-table.tsx'

// The target of a schedule, and the last run of it.

export type TargetNames = Record<'agents' | 'evals', ReadonlyMap<string, string> | undefined>

/** The names of agents and evals by their ids, as far as they are loaded. */
export const useTargetNames = (): TargetNames => {
  const [agents, evals] = [useAgentList(), useEvalList()]
  return useMemo(
    () => ({
      agents: agents && new Map(agents.map(({ id, name }) => [id, name])),
      evals: evals && new Map(evals.map(({ id, name }) => [id, name])),
    }),
    [agents, evals],
  )
}

/** The agent, the eval or the distillation that a schedule starts. */
export const nameTarget = ({ agents, evals }: TargetNames, schedule: Schedule): string => {
  const { agentId, evalId, distillation } = schedule
  if (agentId !== undefined) return nameAgent(agents, agentId)
  if (evalId !== undefined) return evals ? (evals.get(evalId) ?? 'an archived eval') : ''
  return distillation ? `distillation into ${distillation.into.brain}` : ''
}

/** A link to what a schedule starts. */
export const TargetLink = ({ schedule, children }: { schedule: Schedule; children: ReactNode }) => {
  const { agentId, evalId, distillation } = schedule
  if (agentId !== undefined)
    return (
      <Link to="/agents/$id" params={{ id: agentId }}>
        {children}
      </Link>
    )
  const id = evalId ?? (distillation && schedule.lastRunId)
  return id ? (
    <Link to="/evals" search={{ open: id }}>
      {children}
    </Link>
  ) : (
    children
  )
}

/** The time of the last start, with a link to the run. */
export const LastStarted = ({ schedule }: { schedule: Schedule }) => {
  const { id, agentId, evalId, lastRunId, lastFiredAt } = schedule
  if (agentId !== undefined) return <LastRunCell starter={{ scheduleId: id }} {...{ lastRunId, lastFiredAt }} />
  const open = evalId ?? lastRunId
  if (lastFiredAt === null || open === null) return <span className="muted">never</span>
  return (
    <Link to="/evals" search={{ open }}>
      <Time iso={lastFiredAt} />
    </Link>
  )
}
