import '../../styles/runs.css'
import type { Operation, OperationStatus, OperationType } from '@noema/contracts/activity.ts'
import type { ActivityDay } from '@noema/contracts/activity-days.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Chart } from '../../components/chart.tsx'
import { Empty } from '../../components/empty.tsx'
import { Select } from '../../components/field.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { activityDaysQuery, activityQuery } from '../../data/activity.ts'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'
import { toDuration } from '../runs/duration.ts'

const route = getRouteApi('/activity')

const types = ['llm_call', 'tool_call', 'system_action'] as const satisfies readonly OperationType[]
const statuses = ['running', 'succeeded', 'failed', 'abandoned'] as const satisfies readonly OperationStatus[]
const toOptions = (words: readonly string[]) => [
  { value: '', name: 'All' },
  ...words.map((word) => ({ value: word, name: word.replaceAll('_', ' ') })),
]

const columns: readonly Column<Operation>[] = [
  {
    key: 'name',
    title: 'Operation',
    cell: ({ id, runId, name }) => (
      <Link to="/runs/$id" params={{ id: runId }} search={{ operation: id }}>
        {name}
      </Link>
    ),
  },
  { key: 'type', title: 'Type', width: 130, isWide: true, cell: ({ type }) => type.replaceAll('_', ' ') },
  { key: 'status', title: 'State', width: 120, cell: ({ status }) => <Status state={status} /> },
  { key: 'at', title: 'Began', width: 120, cell: ({ createdAt }) => <Time iso={createdAt} /> },
  {
    key: 'took',
    title: 'Took',
    width: 100,
    align: 'end',
    isWide: true,
    cell: ({ latencyMs }) => (latencyMs === undefined ? '' : toDuration(latencyMs)),
  },
]

const Charts = ({ days }: { days: readonly ActivityDay[] }) => {
  const at = days.map(({ day }) => Date.parse(`${day}T00:00:00Z`))
  return (
    <div className="columns">
      <Panel title="Runs">
        <Chart
          label="Runs by day"
          kind="bars"
          isStacked
          isByDay
          at={at}
          series={[
            { name: 'completed', tone: 'good', values: days.map(({ runs }) => runs.completed) },
            { name: 'failed', tone: 'danger', values: days.map(({ runs }) => runs.failed) },
            { name: 'abandoned', tone: 'warning', values: days.map(({ runs }) => runs.abandoned) },
          ]}
        />
      </Panel>
      <Panel title="Cost">
        <Chart
          label="Cents by day"
          isByDay
          at={at}
          unit="¢"
          series={[{ name: 'cents', values: days.map(({ costCents }) => costCents) }]}
        />
      </Panel>
    </div>
  )
}

/** The activity of the agents: daily values, and the operations. */
export const Activity = () => {
  const session = useSession()
  const { type, status } = route.useSearch()
  const navigate = route.useNavigate()
  const days = useQuery(activityDaysQuery(session))
  const query = useQuery(activityQuery(session, { type: readWord(type, types), status: readWord(status, statuses) }))
  const choose = (chosen: { type?: string; status?: string }) =>
    void navigate({ search: (search) => ({ ...search, ...chosen }), replace: true })
  return (
    <div className="page stack">
      <PageHeader title="Activity" />
      <FailureNotice error={days.error} />
      {days.data ? <Charts days={days.data} /> : !days.error && <Skeleton height={200} />}
      <div className="filter-row">
        <Select
          label="Type"
          options={toOptions(types)}
          value={type ?? ''}
          onChange={(value) => choose({ type: value })}
        />
        <Select
          label="State"
          options={toOptions(statuses)}
          value={status ?? ''}
          onChange={(value) => choose({ status: value })}
        />
      </div>
      <DataTable
        label="Operations"
        columns={columns}
        rows={query.data}
        toId={({ id }) => id}
        error={query.error}
        onRetry={() => void query.refetch()}
        height={480}
        empty={<Empty title="No operations">Operations of runs appear here, newest first.</Empty>}
      />
    </div>
  )
}
