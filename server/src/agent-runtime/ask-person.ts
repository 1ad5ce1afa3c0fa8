import { z } from 'zod'
import { toTaskPart } from '../features/agents/parts/run-parts.ts'
import { newId } from '../shared/ids.ts'
import type { AskedCall } from './call-model.ts'
import type { RunState } from './run-state.ts'
import type { RunTool } from './tools/run-tool.ts'
import { toToolColumns } from './tools/tool-columns.ts'

/** The arguments of a question to a person. */
const question = z.object({
  question: z.string().min(1).max(20_000),
  options: z.array(z.string().min(1).max(1_000)).max(50).nullish(),
  expiresInSeconds: z.int().min(1).max(31_536_000).nullish(),
})

export const badQuestion =
  'ask_human takes { question: text, options?: up to 50 texts, expiresInSeconds?: a whole number up to a year }.'

/** Reads the question of a call; undefined if it has none. */
export const readQuestion = (input: unknown) => question.safeParse(input).data

/** Begins the operation of a question, with a task that a person's answer completes. */
export const askPerson = (
  state: RunState,
  { callId, toolName, input }: AskedCall,
  { asked, step, tool }: { asked: z.output<typeof question>; step: number; tool: RunTool | undefined },
) => {
  const { now } = state
  const { expiresInSeconds } = asked
  const taskId = newId('tsk', now)
  const operation = state.begin({
    ...{ type: 'tool_call', name: toolName, step, callId, input, taskId, ...toToolColumns(tool, toolName) },
  })
  state.ask({
    ...{ id: taskId, operationId: operation.id, question: asked.question, options: asked.options ?? null },
    expiresAt: typeof expiresInSeconds === 'number' ? new Date(now.getTime() + expiresInSeconds * 1000) : null,
  })
  state.note('task.waited', step)
  return { operation, part: toTaskPart({ taskId, operationId: operation.id, state: 'open' }) }
}

const expired = { expired: true, note: 'No one answered in time. Go on without the answer, or ask again.' }

/** Ends the operations whose tasks have expired: the run goes on and knows that no one answered. */
export const expireTasks = (state: RunState, late: readonly { id: string; operationId: string }[]): void => {
  for (const { id, operationId } of late) {
    const operation = state.operations.find((one) => one.id === operationId)
    state.expire(id)
    if (operation?.status === 'running') state.close(operation, { status: 'succeeded', output: expired })
  }
}

/** True if an operation of a task ended without an answer. */
export const isExpired = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && 'expired' in output && output.expired === true
