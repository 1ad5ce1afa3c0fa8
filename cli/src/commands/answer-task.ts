import type { Client } from '@noema/sdk'
import { ConflictError } from '@noema/sdk/errors.ts'
import type { Context } from '../context.ts'
import { writeLine } from '../output.ts'

export type Task = Awaited<ReturnType<Client['tasks']['get']>>['task']

/** Parses an answer from a line. The number of a proposed answer selects it. */
export const toAnswer = ({ options }: Task, line: string): string => options?.[Number(line) - 1] ?? line

const writeQuestion = async ({ stderr }: Context, { question, options }: Task) => {
  await writeLine(stderr, `? ${question}`)
  for (const [index, option] of (options ?? []).entries()) await writeLine(stderr, `  ${index + 1}. ${option}`)
}

/**
 * Shows a task's question and starts to ask for its answer at the terminal; without a terminal, prints how to answer.
 * Returns once the question is shown. If someone else answers meanwhile, the caller aborts `over`.
 */
export const answerAtTerminal = async (context: Context, client: Client, taskId: string, over: AbortSignal) => {
  const { prompt, signal, stderr } = context
  const { task } = await client.tasks.get(taskId, { signal })
  if (task.state !== 'open') return
  await writeQuestion(context, task)
  if (!prompt) return writeLine(stderr, `  Answer with: noema tasks answer ${taskId} '<answer>'`)
  const complete = async () => {
    const line = (await prompt('> ', over))?.trim()
    if (over.aborted) return
    if (!line) return writeLine(stderr, `  Answer later with: noema tasks answer ${taskId} '<answer>'`)
    await client.tasks.complete(taskId, { answer: toAnswer(task, line) }, { signal })
  }
  complete().catch((error: unknown) => {
    // Someone else answered, or the task expired, during the input.
    const why = error instanceof ConflictError ? error.message : String(error)
    if (!signal.aborted) void writeLine(stderr, `noema: ${why}`)
  })
}
