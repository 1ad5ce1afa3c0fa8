import { type Context, connectClient, type GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import type { Task } from './answer-task.ts'

/** What `--state` may say. */
export const taskStates = ['open', 'completed', 'expired'] as const satisfies Task['state'][]

export type TasksOptions = GlobalOptions & { state: Task['state']; run?: string }

const formatTask = ({ taskId, runId, question, options, answer }: Task): string =>
  [`${taskId}  ${runId}  ${question}`, options ? ` (${options.join(', ')})` : '', answer ? ` -> ${answer}` : ''].join(
    '',
  )

/** Lists what runs ask people: open questions unless told otherwise. */
export const listTasks = async (context: Context, options: TasksOptions): Promise<number> => {
  const { signal, stdout } = context
  const query = { state: options.state, runId: options.run, limit: 500 }
  for await (const task of connectClient(context, options).tasks.list(query, { signal }))
    await (options.json ? writeJson(stdout, task) : writeLine(stdout, formatTask(task)))
  return exitCodes.ok
}

/** Answers a task; its run goes on. */
export const answerTask = async (context: Context, [taskId, answer]: [string, string], options: GlobalOptions) => {
  const { signal, stdout } = context
  const { task } = await connectClient(context, options).tasks.complete(taskId, { answer }, { signal })
  await (options.json ? writeJson(stdout, task) : writeLine(stdout, formatTask(task)))
  return exitCodes.ok
}
