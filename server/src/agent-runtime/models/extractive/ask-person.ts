import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { z } from 'zod'
import type { Call } from './proposals/propose.ts'
import type { Prompt } from './read-prompt.ts'

// If the Brains have no answer, a person may: an agent that may ask people asks once, and passes on the reply.

const askTool = 'ask_human'
const maxQuestionLength = 4_000
const answered = z.object({ answer: z.string().min(1) })

/** The call that asks a person; undefined where the agent has no such tool, or has asked already. */
export const findQuestion = (
  { tools = [], toolChoice }: LanguageModelV4CallOptions,
  { question, results }: Prompt,
): Call | undefined => {
  const mayAsk = toolChoice?.type !== 'none' && tools.some(({ name }) => name === askTool)
  if (!mayAsk || results.some(({ toolName }) => toolName === askTool)) return undefined
  const asked = question.slice(-maxQuestionLength).toWellFormed()
  return { toolName: askTool, input: { question: `Nothing in the Brain answers this. Do you know it? ${asked}` } }
}

/** The person's reply; undefined without a question or a reply. */
export const findReply = ({ results }: Prompt): string | undefined => {
  const output = results.findLast(({ toolName }) => toolName === askTool)?.output
  return output?.type === 'json' ? answered.safeParse(output.value).data?.answer : undefined
}
