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
import { later } from '../../components/later.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { OpenedPage } from '../../components/opened-page.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { agentQuery } from '../../data/agents.ts'
import { goalQuery } from '../../data/goals.ts'
import { toQuestionLine } from '../../data/questions.ts'
import { toCost } from '../../items/duration.ts'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { GraderSummaries } from '../graders/grader-summary.tsx'
import { Grades } from '../graders/grades.tsx'
import { toPercent } from '../graders/to-percent.ts'
import { toneOfGoal } from './goal-tone.ts'

const BudgetDialog = later(async () => (await import('./goal-acts.tsx')).BudgetDialog)
const ResumeDialog = later(async () => (await import('./goal-acts.tsx')).ResumeDialog)

/** An attempt: its run, and what each grader decided. */
const Attempt = ({ attempt }: { attempt: GoalAttempt }) => {
  const { number, runId, state, passed, score, grades, error, createdAt } = attempt
  return (
    <li className="eval-result">
      <div className="eval-result-head">
        <Status
          state={state}
          {...(passed === null ? {} : { label: passed ? 'passed' : 'failed', tone: passed ? 'good' : 'danger' })}
        />
        <Link to="/runs/$id" params={{ id: runId }}>
          Attempt {number}
        </Link>
        {score !== null && <span className="muted">{toPercent(score)}</span>}
        <span className="muted">
          <Time iso={createdAt} />
        </span>
      </div>
      {error !== undefined && <p className="eval-reason">{error}</p>}
      <Grades grades={grades} />
    </li>
  )
}

type Act = 'pause' | 'resume' | 'budget' | 'abandon'

const acts: Record<Goal['state'], readonly Act[]> = {
  active: ['pause', 'budget', 'abandon'],
  waiting: ['pause', 'budget', 'abandon'],
  paused: ['resume', 'budget', 'abandon'],
  blocked: ['resume', 'budget', 'abandon'],
  exhausted: ['budget', 'abandon'],
  met: [],
  abandoned: [],
}

const Acts = ({ goal }: { goal: Goal }) => {
  const session = useSession()
  const cache = useQueryClient()
  const [open, setOpen] = useState<'budget' | 'resume'>()
  const refresh = () => cache.invalidateQueries({ queryKey: [session.organization.id, 'goals'] })
  const { goals } = session.client
  const pause = useAction(async () => {
    await goals.pause(goal.id).finally(refresh)
  })
  const offered = acts[goal.state]
  const close = () => setOpen(undefined)
  return (
    <>
      {offered.includes('abandon') && (
        <ConfirmButton
          label="Abandon"
          title="Abandon this goal?"
          confirm="Abandon goal"
          onConfirm={async () => {
            await goals.abandon(goal.id)
            await refresh()
          }}
        >
          <p>Its run is canceled, and it cannot be resumed.</p>
        </ConfirmButton>
      )}
      {offered.includes('budget') && (
        <Button size="small" onClick={() => setOpen('budget')}>
          Budget
        </Button>
      )}
      {offered.includes('pause') && (
        <Button size="small" isBusy={pause.isRunning} onClick={() => void pause.run()}>
          Pause
        </Button>
      )}
      {offered.includes('resume') && (
        <Button size="small" tone="primary" icon="play" onClick={() => setOpen('resume')}>
          Resume
        </Button>
      )}
      <FailureNotice error={pause.error} />
      {open === 'budget' && <BudgetDialog goal={goal} onClose={close} />}
      {open === 'resume' && <ResumeDialog goal={goal} onClose={close} />}
    </>
  )
}

const Progress = ({ goal }: { goal: Goal }) => {
  const { agentId, attempts, budget, costCents, conversationId } = goal
  const { data: agent } = useQuery(agentQuery(useSession(), agentId))
  return (
    <p className="muted">
      <Link to="/agents/$id" params={{ id: agentId }}>
        {agent?.name ?? 'An agent'}
      </Link>{' '}
      made {attempts} of {plural(budget.runs, 'attempt')} in{' '}
      <Link to="/conversations/$id" params={{ id: conversationId }}>
        one conversation
      </Link>
      , for {toCost(costCents)}
      {budget.costCents !== undefined && ` of ${toCost(budget.costCents)}`}
      {budget.until !== undefined && (
        <>
          , until <Time iso={budget.until} />
        </>
      )}
      .
    </p>
  )
}

const maxTitle = 120

/** An objective in a line that is short enough for a title. */
const toTitle = (objective: string): string => {
  const line = toQuestionLine(objective)
  return line.length > maxTitle ? `${line.slice(0, maxTitle - 1)}…` : line
}

const Opened = ({ goal, attempts }: { goal: Goal; attempts: readonly GoalAttempt[] }) => {
  const { id, objective, state, reason, criteria } = goal
  const title = toTitle(objective)
  return (
    <>
      <PageHeader
        crumbs={
          <Link to="/evals" search={{ open: 'goals' }}>
            Goals
          </Link>
        }
        title={title}
        badges={
          <>
            <Status state={state} tone={toneOfGoal(state)} />
            <CopyId id={id} what="the id of the goal" />
          </>
        }
        actions={<Acts goal={goal} />}
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
      {title !== objective && <p className="message-text">{objective}</p>}
      <Progress goal={goal} />
      <GraderSummaries graders={criteria} />
      {attempts.length === 0 && <Empty title="No attempt yet">The first one begins in a moment.</Empty>}
      <ul className="eval-results" aria-label="Attempts">
        {attempts.map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </ul>
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
