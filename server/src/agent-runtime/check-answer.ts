import type { OutputChecks } from '../features/agents/agents/output-checks.ts'
import type { OutputCheck } from '../features/agents/agents/output-schema.ts'
import type { StoredMessage } from '../features/agents/runs/types.ts'
import type { RunState } from './run-state.ts'

/** The answer of a run's last step: its output if it fits the schema, what is wrong with it, or that checking it took too long. */
export type Answer = NonNullable<OutputCheck['checked']> | { isUnchecked: true }

/** Checks of one run's answers may take this long in all. */
export const maxCheckMilliseconds = 100

/** Checks the last message of a run, if it is an answer: a message that asks for no tool. Each message is checked once. */
export const createAnswerCheck = (
  outputs: Pick<OutputChecks, 'check'>,
  { held: { organizationId }, definition: { outputSchema } }: Pick<RunState, 'held' | 'definition'>,
) => {
  let last: { messageId: string; answer: Answer } | undefined
  let left = maxCheckMilliseconds
  const check = async (text: string): Promise<Answer> => {
    if (outputSchema === undefined) return { output: null }
    if (left <= 0) return { isUnchecked: true }
    const { checked, milliseconds } = await outputs.check(organizationId, {
      schema: outputSchema,
      text,
      milliseconds: left,
    })
    left -= milliseconds
    return checked ?? { isUnchecked: true }
  }
  return async ({ id, parts, text }: StoredMessage): Promise<Answer | undefined> => {
    if (parts.some(({ type }) => type === 'tool-call')) return undefined
    if (last?.messageId !== id) last = { messageId: id, answer: await check(text) }
    return last.answer
  }
}

/** The message to a model whose answer does not fit. */
export const toRepairText = (problem: string): string =>
  `Your answer does not fit the schema of the output:\n${problem}\nAnswer again with one JSON value that fits it, and nothing else.`
