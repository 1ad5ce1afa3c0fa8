import type { EvalResult, EvalRun } from '@noema/contracts/eval-runs.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Stat } from '../../components/stat.tsx'
import { evalRunsQuery, type ResultFilter, resultsQuery } from '../../data/evals.ts'
import { toCost, toDuration } from '../../items/duration.ts'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { Grades } from '../graders/grades.tsx'
import { toDelta, toPercent } from '../graders/to-percent.ts'

const toTone = (passed: boolean | null) => (passed === null ? 'info' : passed ? 'good' : 'danger')
const toWord = (passed: boolean | null) => (passed === null ? 'under way' : passed ? 'passed' : 'failed')

/** The result of a case: what it answered, each grade with its reason, and what the case did in the baseline. */
const Result = memo(({ result }: { result: EvalResult }) => {
  const { caseId, trial, input, output, error, grades, passed, score, runId, baseline, flipped } = result
  return (
    <li className="eval-result">
      <div className="eval-result-head">
        <Badge tone={toTone(passed)}>{toWord(passed)}</Badge>
        <strong>{caseId}</strong>
        {trial > 1 && <span className="muted">trial {trial}</span>}
        {flipped && <Badge tone="warning">{baseline} before</Badge>}
        {score !== null && <span className="muted">{toPercent(score)}</span>}
        {runId !== undefined && (
          <Link to="/runs/$id" params={{ id: runId }}>
            Run
          </Link>
        )}
      </div>
      {input !== undefined && <p className="eval-input">{input}</p>}
      {error !== undefined && <p className="eval-reason">{error}</p>}
      <Grades grades={grades} />
      {output !== undefined && output !== '' && (
        <details>
          <summary>Answer</summary>
          <pre className="eval-output">{output}</pre>
        </details>
      )}
    </li>
  )
})

const filters = [
  { value: 'all', name: 'All' },
  { value: 'failed', name: 'Failed' },
  { value: 'flipped', name: 'Flipped' },
] as const

const Results = ({ run }: { run: EvalRun }) => {
  const [filter, setFilter] = useState<(typeof filters)[number]['value']>('all')
  const chosen: ResultFilter = filter === 'all' ? undefined : filter
  const query = useInfiniteQuery({ ...resultsQuery(useSession(), run, chosen), placeholderData: (former) => former })
  const results = query.data?.pages.flatMap(({ cases }) => cases)
  return (
    <>
      <RadioGroup label="Which cases" isLabelHidden isSegments options={filters} value={filter} onChange={setFilter} />
      <FailureNotice error={query.error} />
      {!results && !query.error && <Skeleton lines={6} />}
      {results?.length === 0 && <p className="empty">{filter === 'all' ? 'No case is answered yet.' : 'None.'}</p>}
      <ul className="eval-results">
        {results?.map((result) => (
          <Result key={`${result.caseId} ${result.trial}`} result={result} />
        ))}
      </ul>
      {query.hasNextPage && (
        <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  )
}

const Figures = ({ run: { summary, baseline, pinned, done, cases, trials } }: { run: EvalRun }) => (
  <div className="stats">
    <Stat
      label="Score"
      value={summary ? toPercent(summary.score) : `${done} of ${cases * trials}`}
      hint={baseline && baseline.delta !== null ? `${toDelta(baseline.delta)} points` : undefined}
    />
    {summary && <Stat label="Passed" value={`${summary.passed} of ${summary.cases}`} />}
    {baseline && <Stat label="Flipped" value={baseline.flippedCases} />}
    {summary && <Stat label="Cost" value={toCost(summary.costCents)} />}
    {summary?.p50Ms != null && <Stat label="Median time" value={toDuration(summary.p50Ms)} />}
    {pinned.map(({ brain, stateVersion }) => (
      <Stat key={brain} label={`State of ${brain}`} value={stateVersion} />
    ))}
  </div>
)

/** A run of an eval: its figures, each grader, and the results of its cases next to those of the baseline. */
export const OpenedRun = ({ run, onClose }: { run: EvalRun; onClose: () => void }) => {
  const session = useSession()
  const cache = useQueryClient()
  const cancel = async () => {
    await session.client.evalRuns.cancel(run.id)
    await cache.invalidateQueries({ queryKey: evalRunsQuery(session, run.evalId).queryKey })
  }
  return (
    <Panel
      title="Cases of the run"
      actions={
        <div className="actions">
          {run.completedAt === null && (
            <ConfirmButton label="Cancel" title="Cancel this run?" confirm="Cancel run" onConfirm={cancel}>
              <p>What was graded stays.</p>
            </ConfirmButton>
          )}
          <Button size="small" onClick={onClose}>
            Close
          </Button>
        </div>
      }
    >
      <div className="stack">
        {run.failureReason !== undefined && (
          <Notice tone="danger" title="It failed">
            <p>{run.failureReason}</p>
          </Notice>
        )}
        {run.waiting !== undefined && (
          <Notice tone="warning" title="It waits">
            <p>{run.waiting}</p>
          </Notice>
        )}
        <Figures run={run} />
        {run.summary && (
          <p className="muted">
            {run.summary.byGrader
              .map(({ grader, passed, graded }) => `${grader}: ${passed} of ${plural(graded, 'answer')}`)
              .join(' · ')}
          </p>
        )}
        <Results run={run} />
      </div>
    </Panel>
  )
}
