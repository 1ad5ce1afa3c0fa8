import { toAmount } from '../../plural.ts'
import '../../styles/runs.css'
import type { Operation, OperationStatus, OperationType } from '@noema/contracts/activity.ts'
import type { ActivityDay } from '@noema/contracts/activity-days.ts'
import type { Run } from '@noema/contracts/runs.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Status } from '../../components/badge.tsx'
import { Chart } from '../../components/chart.tsx'
import { Empty } from '../../components/empty.tsx'
import { Select } from '../../components/field.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { SearchInput } from '../../components/search-input.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { TimeFilter, type TimeSearch, toTimeRange } from '../../components/time-filter.tsx'
import { activityDaysQuery, activityQuery, maxOperations, maxSearched } from '../../data/activity.ts'
import { toQuestion, toQuestionLine } from '../../data/questions.ts'
import { runsByIdQuery } from '../../data/runs.ts'
import { useAgentList } from '../../data/use-names.ts'
import { toDuration } from '../../items/duration.ts'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'

const route = getRouteApi('/activity')

const types = ['llm_call', 'tool_call', 'system_action'] as const satisfies readonly OperationType[]
const statuses = ['running', 'succeeded', 'failed', 'abandoned'] as const satisfies readonly OperationStatus[]
const toOptions = (words: readonly string[]) => [
  { value: '', name: 'All' },
  ...words.map((word) => ({ value: word, name: word.replaceAll('_', ' ') })),
]

type Runs = ReadonlyMap<string, Run>

const toColumns = (runs: Runs, names: ReadonlyMap<string, string>): readonly Column<Operation>[] => [
  {
    key: 'name',
    title: 'Operation',
    width: 210,
    cell: ({ id, runId, name }) => (
      <Link to="/runs/$id" params={{ id: runId }} search={{ operation: id }}>
        {name}
      </Link>
    ),
  },
  {
    key: 'run',
    title: 'Run',
    isWide: true,
    cell: ({ runId }) => {
      const run = runs.get(runId)
      return (
        <Link to="/runs/$id" params={{ id: runId }} className="quiet-link">
          {run ? toQuestionLine(toQuestion(run)) : runId}
        </Link>
      )
    },
  },
  {
    key: 'agent',
    title: 'Agent',
    width: 140,
    isWide: true,
    cell: ({ runId }) => names.get(runs.get(runId)?.agentId ?? '') ?? '',
  },
  { key: 'type', title: 'Type', width: 110, isWide: true, cell: ({ type }) => type.replaceAll('_', ' ') },
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

const noRuns: Runs = new Map()

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

type Search = TimeSearch & { q?: string | undefined; type?: string | undefined; status?: string | undefined }

const Filters = ({ search, onChange }: { search: Search; onChange: (changes: Search) => void }) => (
  <div className="filter-row">
    <SearchInput
      label="Search names and inputs"
      value={search.q ?? ''}
      onChange={(text) => onChange({ q: text.trim() || undefined })}
    />
    <Select
      label="Type"
      options={toOptions(types)}
      value={search.type ?? ''}
      onChange={(value) => onChange({ type: value || undefined })}
    />
    <Select
      label="State"
      options={toOptions(statuses)}
      value={search.status ?? ''}
      onChange={(value) => onChange({ status: value || undefined })}
    />
    <TimeFilter search={search} onChange={onChange} />
  </div>
)

/** The activity of the agents: daily values, and the operations. */
export const Activity = () => {
  const session = useSession()
  const search = route.useSearch()
  const { q, type, status } = search
  const navigate = route.useNavigate()
  const days = useQuery(activityDaysQuery(session))
  const { from: since, until } = toTimeRange(search)
  const filter = { type: readWord(type, types), status: readWord(status, statuses), text: q, since, until }
  const query = useQuery(activityQuery(session, filter))
  const runIds = useMemo(() => [...new Set(query.data?.map(({ runId }) => runId))].sort(), [query.data])
  const { data: runs = noRuns } = useQuery(runsByIdQuery(session, runIds))
  const names = new Map(useAgentList()?.map(({ id, name }) => [id, name]))
  const choose = (chosen: Search) => void navigate({ search: (before) => ({ ...before, ...chosen }), replace: true })
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <div className="page stack">
      <PageHeader title="Activity" />
      <FailureNotice error={days.error} />
      {days.data ? <Charts days={days.data} /> : !days.error && <Skeleton height={200} />}
      <Filters search={search} onChange={choose} />
      {query.data && query.data.length > 0 && (
        <p className="muted small" role="status">
          {query.data.length < maxOperations
            ? `${query.data.length} ${query.data.length === 1 ? 'operation' : 'operations'}`
            : `The newest ${maxOperations}. An earlier “Until” shows older ones.`}
        </p>
      )}
      <DataTable
        label="Operations"
        columns={toColumns(runs, names)}
        rows={query.data}
        toId={({ id }) => id}
        error={query.error}
        onRetry={() => void query.refetch()}
        height={480}
        empty={
          <Empty title={isFiltered ? 'No matching operations' : 'No operations'}>
            {q === undefined
              ? 'Operations of runs appear here, newest first.'
              : `The newest ${toAmount(maxSearched)} operations were searched. Choose a time to search older ones.`}
          </Empty>
        }
      />
    </div>
  )
}
