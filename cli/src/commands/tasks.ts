import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, NotFound, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { type Column, writeList } from '../table.ts'
import { type Task, toAnswer } from './answer-task.ts'

/** The values of `--state`. */
export const taskStates = ['open', 'completed', 'expired'] as const satisfies Task['state'][]

export type TasksOptions = GlobalOptions & { state: Task['state']; run?: string }

const formatTask = ({ taskId, runId, evalRunId, question, options, answer }: Task): string =>
  [
    `${taskId}  ${runId ?? evalRunId}  ${question}`,
    options ? ` (${options.join(', ')})` : '',
    answer ? ` -> ${answer}` : '',
  ].join('')

const columns: Column<Task>[] = [
  { title: 'TASK', value: ({ taskId }) => taskId },
  { title: 'RUN', value: ({ runId, evalRunId }) => runId ?? evalRunId ?? '' },
  {
    title: 'QUESTION',
    value: ({ question, options }) => `${question}${options ? ` (${options.join(', ')})` : ''}`,
    shrinks: true,
  },
  { title: 'ANSWER', value: ({ answer }) => answer, shrinks: true },
]

/** Lists the questions of runs to people: open ones by default. */
export const listTasks = async (context: Context, options: TasksOptions): Promise<number> => {
  const { signal } = context
  const query = { state: options.state, runId: options.run, limit: 500 }
  const list = connectClient(context, options).tasks.list(query, { signal })
  await writeList(context, options, {
    ...{ list, columns, limit: Number.MAX_SAFE_INTEGER },
    none: 'No run asks anything.',
  })
  return exitCodes.ok
}

/** Answers a task; its run continues. */
export const answerTask = async (context: Context, [taskId, answer]: [string, string], options: GlobalOptions) => {
  const { signal, stdout } = context
  const { task } = await connectClient(context, options).tasks.complete(taskId, { answer }, { signal })
  await (options.json ? writeJson(stdout, task) : writeLine(stdout, formatTask(task)))
  return exitCodes.ok
}

/** Answers the open question of a run, or the named task. A number selects a proposed answer. */
export const answerRun = async (context: Context, [given, answer]: [string, string], options: GlobalOptions) => {
  const { signal } = context
  if (given.startsWith('tsk_')) return answerTask(context, [given, answer], options)
  const { tasks } = await connectClient(context, options).tasks.list(
    { runId: given, state: 'open', limit: 2 },
    { signal },
  )
  const [task, another] = tasks
  if (task === undefined) throw new NotFound(`The run ${given} asks nothing now: see \`noema runs show ${given}\`.`)
  if (another)
    throw new UsageError(`The run ${given} asks several things: answer one by its task. See \`noema tasks list\`.`)
  return answerTask(context, [task.taskId, toAnswer(task, answer)], options)
}
