import '../../styles/home.css'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { later } from '../../components/later.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Stat } from '../../components/stat.tsx'
import { brainsQuery } from '../../data/brains.ts'
import { newestChangesQuery } from '../../data/changes.ts'
import { activityDaysQuery, newestRunsQuery, openNotificationsQuery, overviewQuery } from '../../data/home.ts'
import { useSession } from '../../session/session.tsx'
import { LinkOutcome } from '../entry/link-outcome.tsx'
import { DayCharts } from './day-charts.tsx'
import { ChangesPanel, RunsPanel } from './happened-panels.tsx'
import { WaitingPanel } from './waiting-panel.tsx'

const route = getRouteApi('/')

// Most people see it once.
const Start = later(async () => (await import('./start.tsx')).Start)

type FigureProps = { to: string; label: string; value: number | undefined; isOpen?: boolean }

/** A figure that leads to what it counts. An open one asks for a person. */
const Figure = ({ to, label, value, isOpen = false }: FigureProps) => (
  <Link to={to} className="stat-link">
    <Stat label={label} value={value ?? '–'} tone={isOpen && value ? 'warning' : 'neutral'} />
  </Link>
)

const Counts = () => {
  const session = useSession()
  const { data } = useQuery(overviewQuery(session))
  const { data: open } = useQuery(openNotificationsQuery(session))
  const { brains, records, statements, documents, agents, openRuns } = data?.overview ?? {}
  const changes = open?.waiting.changes
  const tasks = open?.waiting.tasks
  return (
    <>
      <section className="stats" aria-label="In progress">
        <Figure to="/review" label="To review" value={changes} isOpen />
        <Figure to="/tasks" label="Questions" value={tasks} isOpen />
        <Figure to="/runs" label="Open runs" value={openRuns} />
      </section>
      <section className="stats" aria-label="Knowledge">
        <Figure to="/brains" label="Brains" value={brains} />
        <Figure to="/brains" label="Records" value={records} />
        <Figure to="/brains" label="Documents" value={documents} />
        <Figure to="/brains" label="Statements" value={statements} />
        <Figure to="/agents" label="Agents" value={agents} />
      </section>
    </>
  )
}

/** True once the data of every panel have arrived. They are shown together, so that no panel pushes another one down. */
const useArrival = (): boolean => {
  const session = useSession()
  const waiting = [
    useQuery(overviewQuery(session)),
    useQuery(openNotificationsQuery(session)),
    useQuery(newestRunsQuery(session)),
    useQuery(activityDaysQuery(session)),
    useQuery(newestChangesQuery(session)),
  ]
  return !waiting.some(({ isPending }) => isPending)
}

/** The page before its data, with the shape that it will have. */
const HomeSkeleton = () => (
  <div className="page full">
    <PageHeader title="Home" />
    <Skeleton height={76} />
    <div className="home-columns">
      <Skeleton height={420} />
      <Skeleton height={420} />
    </div>
  </div>
)

const Dashboard = () => (
  <div className="page full">
    <PageHeader title="Home" />
    <LinkOutcome />
    <div className="home-stats">
      <Counts />
    </div>
    <div className="home-columns">
      <div className="stack">
        <WaitingPanel />
        <RunsPanel />
      </div>
      <div className="stack">
        <DayCharts />
        <ChangesPanel />
      </div>
    </div>
  </div>
)

/** Open items and recent activity. An organization without a Brain sees the steps to its first event. */
export const Home = () => {
  const { brain } = route.useSearch()
  const { data, error, refetch } = useInfiniteQuery(brainsQuery(useSession()))
  // The panels load in parallel with the list of Brains.
  const hasArrived = useArrival()
  const isFirst = data?.pages[0]?.brains.length === 0
  if (brain !== undefined || isFirst) return <Start meanwhile={<HomeSkeleton />} />
  if (error && !data) return <FailureNotice error={error} onRetry={() => void refetch()} />
  return data && hasArrived ? <Dashboard /> : <HomeSkeleton />
}
