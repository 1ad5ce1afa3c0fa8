import type { ChatAnnotation, ChatCompletion } from '@noema/contracts/openai-chat.ts'
import type { StepText } from '../features/agents/messages/answers.ts'
import type { RunRow } from '../features/agents/runs/types.ts'
import { type Citation, type SourceBase, toCitations } from './citations.ts'

// A run as a chat completion: the texts of its steps, as paragraphs, are one answer.

/** The text between the texts of two steps. */
export const betweenSteps = '\n\n'

/** A time in the seconds of OpenAI's API. */
export const toUnixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)

export const toChatAnnotation = ({ noema, ...place }: Citation): ChatAnnotation => ({
  ...{ type: 'url_citation', url_citation: place },
  ...(noema === undefined ? {} : { noema }),
})

export const toChatUsage = ({ inputTokens, outputTokens }: RunRow): ChatCompletion['usage'] => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
})

/** A completed run as a chat completion. */
export const toChatCompletion = (
  run: RunRow,
  { model, steps, base }: { model: string; steps: readonly StepText[]; base: SourceBase },
): ChatCompletion => {
  let content = ''
  const annotations: ChatAnnotation[] = []
  for (const step of steps) {
    if (content !== '') content += betweenSteps
    annotations.push(...toCitations(base, step, content.length).map(toChatAnnotation))
    content += step.text
  }
  const reasoning = steps.flatMap((step) => (step.reasoning === '' ? [] : [step.reasoning])).join(betweenSteps)
  const message = {
    ...{ role: 'assistant' as const, content, refusal: null, annotations },
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
  }
  return {
    ...{ id: run.id, object: 'chat.completion', created: toUnixSeconds(run.createdAt), model },
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: toChatUsage(run),
  }
}
