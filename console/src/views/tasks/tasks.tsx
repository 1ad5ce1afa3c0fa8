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
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { agentsQuery } from '../../data/agents.ts'
import { tasksQuery } from '../../data/tasks.ts'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'
import { Question } from '../runs/question.tsx'

const route = getRouteApi('/tasks')

const TaskPanel = ({ task, agent }: { task: Task; agent: string }) => (
  <Panel
    title={agent}
    description={<Time iso={task.createdAt} />}
    actions={
      <>
        {task.state !== 'open' && <Status state={task.state} />}
        <Link to="/runs/$id" params={{ id: task.runId }}>
          Open the run
        </Link>
      </>
    }
  >
    {task.state === 'open' ? (
      <Question task={task} />
    ) : (
      <>
        <Markdown text={task.question} />
        {task.answer !== undefined && <Markdown text={task.answer} />}
      </>
    )}
  </Panel>
)

const taskStates = ['open', 'completed', 'expired'] as const satisfies readonly TaskState[]
const states = [...taskStates, 'all' as const].map((state) => ({ value: state, name: state }))

/** The questions of runs, and their answers. */
export const Tasks = () => {
  const session = useSession()
  const state = route.useSearch().state ?? 'open'
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(tasksQuery(session, readWord(state, taskStates)))
  const { data: agents } = useInfiniteQuery(agentsQuery(session))
  const names = new Map(agents?.pages.flatMap((page) => page.agents).map(({ id, name }) => [id, name]))
  const tasks = query.data?.pages.flatMap((page) => page.tasks)
  return (
    <div className="page stack">
      <PageHeader title="Tasks" lead="Questions of runs to people. A run that asks waits, which costs nothing." />
      <div className="filter-row">
        <Select
          label="State"
          options={states}
          value={states.find(({ value }) => value === state)?.value ?? 'open'}
          onChange={(value) => void navigate({ search: { state: value }, replace: true })}
        />
      </div>
      <FailureNotice error={query.error} />
      {!tasks && !query.error && <Skeleton lines={6} />}
      {tasks?.length === 0 && (
        <Empty title={state === 'open' ? 'Nothing is asked at the moment' : 'No task is like that'}>
          Agents can ask if their tools include ask_human.
        </Empty>
      )}
      {tasks?.map((task) => (
        <TaskPanel key={task.taskId} task={task} agent={names.get(task.agentId) ?? 'An agent'} />
      ))}
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          More
        </Button>
      )}
    </div>
  )
}
