import '../../styles/runs.css'
import type { Agent } from '@noema/contracts/agents.ts'
import { runStates } from '@noema/contracts/run-states.ts'
import type { Run } from '@noema/contracts/runs.ts'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Select } from '../../components/field.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { SearchInput } from '../../components/search-input.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { TimeFilter, type TimeSearch, toTimeRange } from '../../components/time-filter.tsx'
import { agentsQuery } from '../../data/agents.ts'
import { toTablePages } from '../../data/paging.ts'
import { projectsQuery } from '../../data/projects.ts'
import { toQuestion, toQuestionLine } from '../../data/questions.ts'
import { runsQuery } from '../../data/runs.ts'
import { useWholeSearch } from '../../data/use-whole-search.ts'
import { ActorName } from '../../items/actor-name.tsx'
import { toCost, toDuration } from '../../items/duration.ts'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'
import { FoundLine } from './found-line.tsx'

const route = getRouteApi('/runs')

const toColumns = (names: ReadonlyMap<string, string>): readonly Column<Run>[] => [
  {
    key: 'question',
    title: 'Question',
    cell: (run) => {
      const question = toQuestionLine(toQuestion(run))
      return (
        <Link to="/runs/$id" params={{ id: run.runId }} title={question}>
          {question}
        </Link>
      )
    },
  },
  { key: 'agent', title: 'Agent', width: 140, isWide: true, cell: ({ agentId }) => names.get(agentId) ?? agentId },
  { key: 'state', title: 'State', width: 110, cell: ({ state }) => <Status state={state} /> },
  {
    key: 'by',
    title: 'Started by',
    width: 110,
    isWide: true,
    cell: ({ trigger, scheduleId, startedBy }) =>
      trigger ? 'trigger' : scheduleId ? 'schedule' : <ActorName actor={startedBy} />,
  },
  { key: 'begun', title: 'Started', width: 110, cell: ({ createdAt }) => <Time iso={createdAt} /> },
  {
    key: 'took',
    title: 'Took',
    width: 80,
    align: 'end',
    isWide: true,
    cell: ({ startedAt, completedAt }) =>
      startedAt && completedAt ? toDuration(Date.parse(completedAt) - Date.parse(startedAt)) : '',
  },
  { key: 'cost', title: 'Cost', width: 72, align: 'end', isWide: true, cell: ({ usage }) => toCost(usage.costCents) },
]

const every = { value: '', name: 'All' } as const
const states = [every, ...runStates.map((state) => ({ value: state, name: state }))]

type Search = TimeSearch & {
  q?: string | undefined
  agent?: string | undefined
  state?: string | undefined
  project?: string | undefined
}
type FiltersProps = { search: Search; agents: readonly Agent[]; onChange: (changes: Search) => void }

const Filters = ({ search, agents, onChange }: FiltersProps) => {
  const { q, agent, state, project } = search
  const { data: projects = [] } = useQuery(projectsQuery(useSession()))
  return (
    <div className="filter-row">
      <SearchInput
        label="Search questions"
        value={q ?? ''}
        onChange={(text) => onChange({ q: text.trim() || undefined })}
      />
      <Select
        label="Agent"
        options={[every, ...agents.map(({ id, name }) => ({ value: id, name }))]}
        value={agent ?? ''}
        onChange={(value) => onChange({ agent: value || undefined })}
      />
      <Select
        label="State"
        options={states}
        value={state ?? ''}
        onChange={(value) => onChange({ state: value || undefined })}
      />
      {(projects.length > 1 || project !== undefined) && (
        <Select
          label="Project"
          options={[every, ...projects.map(({ id, name }) => ({ value: id, name }))]}
          value={project ?? ''}
          onChange={(value) => onChange({ project: value || undefined })}
        />
      )}
      <TimeFilter search={search} onChange={onChange} />
    </div>
  )
}

/** The organization's runs by their question, newest first. */
export const Runs = () => {
  const session = useSession()
  const search = route.useSearch()
  const { q, agent, state, project } = search
  const navigate = route.useNavigate()
  const { data: agents } = useInfiniteQuery(agentsQuery(session))
  const list = agents?.pages.flatMap((page) => page.agents) ?? []
  const filter = {
    agentId: agent,
    state: readWord(state, runStates),
    projectId: project,
    text: q,
    ...toTimeRange(search),
  }
  const query = useInfiniteQuery({ ...runsQuery(session, filter), placeholderData: keepPreviousData })
  const runs = query.data?.pages.flatMap((page) => page.runs)
  const isSearch = q !== undefined || project !== undefined
  const { isSearching, isCut } = useWholeSearch(query, { isOn: isSearch, found: runs?.length })
  const names = new Map(list.map(({ id, name }) => [id, name]))
  const choose = (chosen: Search) => void navigate({ search: (before) => ({ ...before, ...chosen }), replace: true })
  const isFiltered = Object.values(search).some((value) => value !== undefined)
  return (
    <div className="page stack">
      <PageHeader title="Runs" />
      <Filters search={search} agents={list} onChange={choose} />
      <FoundLine
        {...{ isSearching, isCut, what: ['run', 'runs'] }}
        found={isFiltered ? runs?.length : undefined}
        hasMore={query.hasNextPage}
        onMore={() => void query.fetchNextPage()}
      />
      <DataTable
        label="Runs"
        columns={toColumns(names)}
        rows={isSearching && runs?.length === 0 ? undefined : runs}
        toId={({ runId }) => runId}
        {...toTablePages(query)}
        empty={
          <Empty title={isFiltered ? 'No matching runs' : 'No runs yet'}>
            {isFiltered ? 'Use other words, or another agent, state or time.' : 'Start one from the page of an agent.'}
          </Empty>
        }
      />
    </div>
  )
}
