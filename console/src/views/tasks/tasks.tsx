import '../../styles/runs.css'
import type { Task, TaskState } from '@noema/contracts/tasks.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Select } from '../../components/field.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { SearchInput } from '../../components/search-input.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { TimeFilter, toTimeRange } from '../../components/time-filter.tsx'
import { agentsQuery } from '../../data/agents.ts'
import { tasksQuery } from '../../data/tasks.ts'
import { useWholeSearch } from '../../data/use-whole-search.ts'
import { ActorName } from '../../items/actor-name.tsx'
import { AskedText } from '../../items/asked.tsx'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'
import { FoundLine } from '../runs/found-line.tsx'
import { Question } from '../runs/question.tsx'

const route = getRouteApi('/tasks')

/** The asker of a task: an agent by its name, or an eval. */
const toAsker = ({ agentId }: Task, names: ReadonlyMap<string, string>): string =>
  agentId === null ? 'A case of an eval' : (names.get(agentId) ?? 'An agent')

const TaskPanel = ({ task, agent }: { task: Task; agent: string }) => (
  <Panel
    title={agent}
    label={`${agent}: ${task.question.slice(0, 200)}`}
    description={<Time iso={task.createdAt} />}
    actions={
      <>
        {task.state !== 'open' && <Status state={task.state} />}
        {task.runId !== null && (
          <Link to="/runs/$id" params={{ id: task.runId }}>
            Open the run
          </Link>
        )}
        {task.evalId !== undefined && (
          <Link to="/evals" search={{ open: task.evalId }}>
            Open the eval
          </Link>
        )}
      </>
    }
  >
    {task.state === 'open' ? (
      <Question task={task} />
    ) : (
      <>
        <AskedText text={task.question} />
        {task.answer !== undefined && (
          <div className="answer">
            <p className="muted small">
              {task.answeredBy ? <ActorName actor={task.answeredBy} /> : 'Somebody'} answered
            </p>
            <Markdown text={task.answer} />
          </div>
        )}
      </>
    )}
  </Panel>
)

const taskStates = ['open', 'completed', 'expired'] as const satisfies readonly TaskState[]
const states = [...taskStates, 'all' as const].map((state) => ({ value: state, name: state }))

const toEmptyTitle = (isFiltered: boolean, state: string): string => {
  if (isFiltered) return 'No matching tasks'
  return state === 'open' ? 'Nothing is asked at the moment' : 'No tasks in this state'
}

/** The questions of runs, and their answers. */
export const Tasks = () => {
  const session = useSession()
  const search = route.useSearch()
  const { q, state = 'open' } = search
  const navigate = route.useNavigate()
  const filter = { state: readWord(state, taskStates), text: q, ...toTimeRange(search) }
  const query = useInfiniteQuery(tasksQuery(session, filter))
  const { data: agents } = useInfiniteQuery(agentsQuery(session))
  const names = new Map(agents?.pages.flatMap((page) => page.agents).map(({ id, name }) => [id, name]))
  const tasks = query.data?.pages.flatMap((page) => page.tasks)
  const { isSearching, isCut } = useWholeSearch(query, { isOn: q !== undefined, found: tasks?.length })
  const choose = (chosen: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...chosen }), replace: true })
  const isFiltered = q !== undefined || Object.keys(toTimeRange(search)).length > 0
  return (
    <div className="page stack">
      <PageHeader title="Tasks" lead="Questions of runs to people. A run that asks waits, which costs nothing." />
      <div className="filter-row">
        <SearchInput
          label="Search questions"
          value={q ?? ''}
          onChange={(text) => choose({ q: text.trim() || undefined })}
        />
        <Select
          label="State"
          options={states}
          value={states.find(({ value }) => value === state)?.value ?? 'open'}
          onChange={(value) => choose({ state: value })}
        />
        <TimeFilter search={search} onChange={choose} />
      </div>
      <FoundLine
        {...{ isSearching, isCut, what: ['task', 'tasks'] }}
        found={isFiltered ? tasks?.length : undefined}
        hasMore={query.hasNextPage}
        onMore={() => void query.fetchNextPage()}
      />
      <FailureNotice error={query.error} />
      {!tasks && !query.error && <Skeleton lines={6} />}
      {tasks?.length === 0 && !isSearching && (
        <Empty title={toEmptyTitle(isFiltered, state)}>
          {isFiltered
            ? 'Use other words, or another state or time.'
            : 'Agents can ask if their tools include ask_human.'}
        </Empty>
      )}
      {tasks?.map((task) => (
        <TaskPanel key={task.taskId} task={task} agent={toAsker(task, names)} />
      ))}
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          More
        </Button>
      )}
    </div>
  )
}
