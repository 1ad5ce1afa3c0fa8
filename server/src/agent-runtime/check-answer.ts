import { findOutputProblems } from '../features/agents/agents/output-schema.ts'
import type { StoredMessage } from '../features/agents/runs/types.ts'
import type { RunState } from './run-state.ts'

/** The answer of a run's last step: its output if it fits the schema, or what is wrong with it. */
export type Answer = { output: unknown } | { problem: string }

const toJsonText = (text: string): string => /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text

const checkOutput = (schema: NonNullable<RunState['definition']['outputSchema']>, text: string): Answer => {
  let output: unknown
  try {
    output = JSON.parse(toJsonText(text))
  } catch {
    return { problem: 'It is not JSON.' }
  }
  const problems = findOutputProblems(schema, output)
  if (problems.length === 0) return { output }
  return {
    problem: problems
      .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
      .join('\n'),
  }
}

/** Checks the last message of a run, if it is an answer: a message that asks for no tool. Each message is checked once. */
export const createAnswerCheck = ({ outputSchema }: RunState['definition']) => {
  let checked: { messageId: string; answer: Answer } | undefined
  return async ({ id, parts, text }: StoredMessage): Promise<Answer | undefined> => {
    if (parts.some(({ type }) => type === 'tool-call')) return undefined
    if (checked?.messageId !== id)
      checked = {
        messageId: id,
        answer: outputSchema === undefined ? { output: null } : checkOutput(outputSchema, text),
      }
    return checked.answer
  }
}

/** The message to a model whose answer does not fit. */
export const toRepairText = (problem: string): string =>
  `Your answer does not fit the schema of the output:\n${problem}\nAnswer again with one JSON value that fits it, and nothing else.`
