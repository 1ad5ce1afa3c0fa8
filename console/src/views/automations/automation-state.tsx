import type { Run } from '@noema/contracts/runs.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import { maxFailuresSeen, type Starter, startedRunsQuery } from '../../data/automations.ts'
import { useSession } from '../../session/session.tsx'

/** The common properties of a trigger and a schedule. */
export type Standing = { enabled: boolean; paused?: { reason: string } | undefined }

export const toState = ({ enabled, paused }: Standing): 'off' | 'paused' | 'active' => {
  if (!enabled) return 'off'
  return paused ? 'paused' : 'active'
}

/** The state, and the reason why it starts no runs. */
export const StandingCell = ({ standing }: { standing: Standing }) => (
  <span className="standing" title={standing.paused?.reason}>
    <Status state={toState(standing)} />
    {standing.paused && <span className="muted">{standing.paused.reason}</span>}
  </span>
)

/** The reason why it starts no runs, and how to resume it. */
export const PausedNotice = ({ standing, onGoOn }: { standing: Standing; onGoOn: () => void }) =>
  standing.paused && (
    <Notice tone="warning" title="Paused: it starts nothing at the moment">
      <p>
        {standing.paused.reason} If a cap paused it, it resumes automatically. Otherwise fix the problem, or have it try
        again. No event is lost meanwhile.
      </p>
      <div className="actions">
        <Button size="small" onClick={onGoOn}>
          Try again now
        </Button>
      </div>
    </Notice>
  )

/** The number of the newest runs that failed in a row. */
export const countFailures = (runs: readonly Pick<Run, 'state'>[]): number => {
  const first = runs.findIndex(({ state }) => state !== 'failed')
  return first < 0 ? runs.length : first
}

export const toFailures = (count: number): string => {
  if (count === 0) return ''
  return `${count}${count >= maxFailuresSeen ? ' or more' : ''} in a row`
}

type LastRunProps = { starter: Starter; lastRunId: string | null | undefined; lastFiredAt: string | null | undefined }

/** The last run with its state, and the number of failures since the last success. */
export const LastRunCell = ({ starter, lastRunId, lastFiredAt }: LastRunProps) => {
  const { data } = useQuery({
    ...startedRunsQuery(useSession(), starter, lastRunId ?? ''),
    enabled: typeof lastRunId === 'string',
  })
  if (typeof lastRunId !== 'string') return <span className="muted">never</span>
  const last = data?.find(({ runId }) => runId === lastRunId)
  const failures = countFailures(data ?? [])
  return (
    <span className="last-run">
      <Link to="/runs/$id" params={{ id: lastRunId }}>
        {lastFiredAt ? <Time iso={lastFiredAt} /> : 'its run'}
      </Link>
      {last && <Status state={last.state} {...(failures > 1 && { label: `failed ${toFailures(failures)}` })} />}
    </span>
  )
}
