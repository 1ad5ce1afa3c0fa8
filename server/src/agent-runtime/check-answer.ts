import { findOutputProblems } from '../features/agents/agents/output-schema.ts'
import type { RunState } from './run-state.ts'

/** The answer of a run's last step: its output where it fits, or what is wrong with it. */
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

/** What the last message says, if it is the answer of a step: it asks for no tool. */
export const findAnswer = ({ messages, definition }: RunState): Answer | undefined => {
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || last.operationId === null) return undefined
  if (last.parts.some(({ type }) => type === 'tool-call')) return undefined
  return definition.outputSchema === undefined ? { output: null } : checkOutput(definition.outputSchema, last.text)
}

/** Whether the model was asked once more already because its answer did not fit. */
export const wasRepaired = ({ messages }: RunState): boolean =>
  messages.some(({ role, operationId }) => role === 'user' && operationId !== null)

/** What the model is told of an answer that does not fit. */
export const toRepairText = (problem: string): string =>
  `Your answer does not fit the schema of the output:\n${problem}\nAnswer again with one JSON value that fits it, and nothing else.`
