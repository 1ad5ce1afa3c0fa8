import '../../styles/runs.css'
import type { Goal, GoalAttempt } from '@noema/contracts/goals.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Empty } from '../../components/empty.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { OpenedPage } from '../../components/opened-page.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { agentQuery } from '../../data/agents.ts'
import { goalQuery } from '../../data/goals.ts'
import { useSession } from '../../session/session.tsx'
import { toneOfGoal } from './goal-tone.ts'

const toFailures = ({ error, grades }: GoalAttempt): string =>
  error ??
  grades.flatMap((grade) => (grade.passed ? [] : `${grade.grader}: ${grade.reason ?? 'did not pass'}`)).join(' ')

const columns: readonly Column<GoalAttempt>[] = [
  {
    key: 'number',
    title: 'Attempt',
    width: 110,
    cell: ({ number, runId }) => (
      <Link to="/runs/$id" params={{ id: runId }}>
        Attempt {number}
      </Link>
    ),
  },
  {
    key: 'state',
    title: 'State',
    width: 110,
    cell: ({ state, passed }) => (
      <Status
        state={state}
        {...(passed === null ? {} : { label: passed ? 'passed' : 'failed', tone: passed ? 'good' : 'danger' })}
      />
    ),
  },
  {
    key: 'score',
    title: 'Score',
    width: 80,
    align: 'end',
    isWide: true,
    cell: ({ score }) => score?.toFixed(2) ?? '',
  },
  { key: 'failed', title: 'What failed', isWide: true, cell: toFailures },
]

const acts: Record<Goal['state'], readonly ('pause' | 'resume' | 'abandon')[]> = {
  active: ['pause', 'abandon'],
  waiting: ['pause', 'abandon'],
  paused: ['resume', 'abandon'],
  blocked: ['resume', 'abandon'],
  ...{ met: [], exhausted: [], abandoned: [] },
}

const Acts = ({ id, state }: Pick<Goal, 'id' | 'state'>) => {
  const session = useSession()
  const cache = useQueryClient()
  const [failure, setFailure] = useState<unknown>()
  const { goals } = session.client
  const act = async (call: () => Promise<unknown>) => {
    setFailure(undefined)
    try {
      await call()
    } catch (error) {
      setFailure(error)
    }
    await cache.invalidateQueries({ queryKey: [session.organization.id, 'goals'] })
  }
  const offered = acts[state]
  return (
    <>
      {offered.includes('pause') && (
        <Button size="small" onClick={() => void act(() => goals.pause(id))}>
          Pause
        </Button>
      )}
      {offered.includes('abandon') && (
        <ConfirmButton
          label="Abandon"
          title="Abandon this goal?"
          confirm="Abandon goal"
          onConfirm={() => act(() => goals.abandon(id))}
        >
          <p>Its run is canceled, and it cannot be resumed.</p>
        </ConfirmButton>
      )}
      {offered.includes('resume') && (
        <Button size="small" tone="primary" icon="play" onClick={() => void act(() => goals.resume(id, {}))}>
          Resume
        </Button>
      )}
      <FailureNotice error={failure} />
    </>
  )
}

const Opened = ({ goal, attempts }: { goal: Goal; attempts: readonly GoalAttempt[] }) => {
  const { id, agentId, objective, state, reason, budget, criteria, conversationId } = goal
  const { data: agent } = useQuery(agentQuery(useSession(), agentId))
  return (
    <>
      <PageHeader
        title={objective.slice(0, 120)}
        badges={
          <>
            <Status state={state} tone={toneOfGoal(state)} />
            <CopyId id={id} what="the id of the goal" />
          </>
        }
        actions={<Acts id={id} state={state} />}
      />
      {reason !== undefined && (
        <Notice tone="warning" title={reason}>
          {goal.taskId !== undefined && (
            <p>
              A person decides how it goes on: <Link to="/tasks">answer its question</Link>.
            </p>
          )}
        </Notice>
      )}
      {objective.length > 120 && <p>{objective}</p>}
      <p className="muted">
        <Link to="/agents/$id" params={{ id: agentId }}>
          {agent?.name ?? agentId}
        </Link>{' '}
        made {goal.attempts} of {budget.runs} attempts for {goal.costCents.toFixed(2)} cents
        {budget.costCents === undefined ? '' : ` of ${budget.costCents}`}, in{' '}
        <Link to="/conversations/$id" params={{ id: conversationId }}>
          one conversation
        </Link>
        . Graded by {criteria.map((grader) => grader.name ?? grader.type).join(', ')}.
      </p>
      <DataTable
        label="Attempts"
        columns={columns}
        rows={attempts}
        toId={({ number }) => String(number)}
        empty={<Empty title="No attempt yet">The first one begins in a moment.</Empty>}
      />
    </>
  )
}

/** A goal, and what came of its attempts. */
export const GoalPage = ({ id }: { id: string }) => {
  const { data, error, refetch } = useQuery(goalQuery(useSession(), id))
  return (
    <OpenedPage error={error} isRead={data !== undefined} onRetry={() => void refetch()}>
      {data && <Opened {...data} />}
    </OpenedPage>
  )
}
