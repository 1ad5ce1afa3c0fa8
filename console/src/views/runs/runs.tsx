import { runStates } from '@noema/contracts/run-states.ts'
import { toTablePages } from '../../data/paging.ts'
import '../../styles/runs.css'
import type { Run } from '@noema/contracts/runs.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Select } from '../../components/field.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { agentsQuery } from '../../data/agents.ts'
import { runsQuery } from '../../data/runs.ts'
import { ActorName } from '../../items/actor-name.tsx'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'
import { toCost, toDuration } from './duration.ts'

const route = getRouteApi('/runs')

const toColumns = (names: ReadonlyMap<string, string>): readonly Column<Run>[] => [
  {
    key: 'agent',
    title: 'Agent',
    cell: ({ runId, agentId }) => (
      <Link to="/runs/$id" params={{ id: runId }}>
        {names.get(agentId) ?? agentId}
      </Link>
    ),
  },
  { key: 'state', title: 'State', width: 120, cell: ({ state }) => <Status state={state} /> },
  { key: 'begun', title: 'Started', width: 120, cell: ({ createdAt }) => <Time iso={createdAt} /> },
  {
    key: 'took',
    title: 'Took',
    width: 100,
    align: 'end',
    isWide: true,
    cell: ({ startedAt, completedAt }) =>
      startedAt && completedAt ? toDuration(Date.parse(completedAt) - Date.parse(startedAt)) : '',
  },
  {
    key: 'tokens',
    title: 'Tokens',
    width: 110,
    align: 'end',
    isWide: true,
    cell: ({ usage }) => (usage.inputTokens + usage.outputTokens).toLocaleString('en'),
  },
  { key: 'cost', title: 'Cost', width: 90, align: 'end', isWide: true, cell: ({ usage }) => toCost(usage.costCents) },
  {
    key: 'by',
    title: 'Started by',
    width: 110,
    isWide: true,
    cell: ({ trigger, scheduleId, startedBy }) =>
      trigger ? 'trigger' : scheduleId ? 'schedule' : <ActorName actor={startedBy} />,
  },
]

const every = { value: '', name: 'All' } as const
const states = [every, ...runStates.map((state) => ({ value: state, name: state }))]

/** The organization's runs, newest first, as they go on. */
export const Runs = () => {
  const session = useSession()
  const { agent, state } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: agents } = useInfiniteQuery(agentsQuery(session))
  const list = agents?.pages.flatMap((page) => page.agents) ?? []
  const query = useInfiniteQuery(runsQuery(session, { agentId: agent, state: readWord(state, runStates) }))
  const names = new Map(list.map(({ id, name }) => [id, name]))
  const choose = (chosen: { agent?: string; state?: string }) =>
    void navigate({ search: (search) => ({ ...search, ...chosen }), replace: true })
  return (
    <div className="page stack">
      <PageHeader title="Runs" />
      <div className="filter-row">
        <Select
          label="Agent"
          options={[every, ...list.map(({ id, name }) => ({ value: id, name }))]}
          value={agent ?? ''}
          onChange={(value) => choose({ agent: value })}
        />
        <Select label="State" options={states} value={state ?? ''} onChange={(value) => choose({ state: value })} />
      </div>
      <DataTable
        label="Runs"
        columns={toColumns(names)}
        rows={query.data?.pages.flatMap((page) => page.runs)}
        toId={({ runId }) => runId}
        {...toTablePages(query)}
        empty={
          <Empty title={agent || state ? 'No matching runs' : 'No runs yet'}>
            {agent || state ? 'Choose another agent or state.' : 'Start one from the page of an agent.'}
          </Empty>
        }
      />
    </div>
  )
}
