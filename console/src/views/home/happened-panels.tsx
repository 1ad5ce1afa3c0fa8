import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { newestChangesQuery } from '../../data/changes.ts'
import { newestRunsQuery } from '../../data/home.ts'
import { toQuestion, toQuestionLine } from '../../data/questions.ts'
import { useSession } from '../../session/session.tsx'
import { ChangeStatus } from '../review/change-head.tsx'
import { ChangeName } from '../review/change-name.tsx'
import { describeOperations } from '../review/item-fields.ts'
import { PageLink } from './page-link.tsx'

/** The newest changes of all Brains. */
export const ChangesPanel = () => {
  const { data, error, refetch } = useQuery(newestChangesQuery(useSession()))
  return (
    <Panel title="Changes" isFlush>
      {!data && !error && <Skeleton lines={6} />}
      {!data && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {data?.changes.length === 0 && <Empty title="No writes yet" />}
      <ul className="home-list">
        {data?.changes.map((change) => (
          <li key={`${change.brain.id} ${change.id}`}>
            <Link to="/brains/$handle/changes/$id" params={{ handle: change.brain.handle, id: change.id }}>
              <ChangeName change={change} />
            </Link>
            <span className="muted">
              {describeOperations(change.operations)} · {change.brain.handle} ·{' '}
              {change.stagedByName ?? change.stagedByActor?.type ?? 'key'} · <Time iso={change.createdAt} />
            </span>
            <span className="home-state">
              <ChangeStatus change={change} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The newest runs of all agents. */
export const RunsPanel = () => {
  const { data, error, refetch } = useQuery(newestRunsQuery(useSession()))
  return (
    <Panel title="Runs" isFlush>
      {!data && !error && <Skeleton lines={6} />}
      {!data && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {data?.runs.length === 0 && (
        <Empty title="No runs yet">Agents answer questions from Brains, and propose what they learn.</Empty>
      )}
      <ul className="home-list">
        {data?.runs.map((run) => (
          <li key={run.runId}>
            <PageLink to={`/runs/${run.runId}`}>{toQuestionLine(toQuestion(run))}</PageLink>
            <span className="muted">
              <Time iso={run.createdAt} />
            </span>
            <span className="home-state">
              <Status state={run.state} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
