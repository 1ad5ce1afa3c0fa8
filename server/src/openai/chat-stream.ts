import type { AppDeps } from '../api/app-deps.ts'
import { errorBody } from '../api/errors.ts'
import { toOpenAiError } from '../api/openai-errors.ts'
import { readAnswerDetails } from '../features/agents/messages/answers.ts'
import type { RunRow } from '../features/agents/runs/types.ts'
import type { ApiError } from '../shared/errors.ts'
import type { BegunRun, PostCall } from './begin-run.ts'
import { betweenSteps, toChatAnnotation, toChatUsage, toUnixSeconds } from './chat-answer.ts'
import { type SourceBase, toCitations } from './citations.ts'
import { followSteps, type StepNews } from './follow-steps.ts'
import { readEnd } from './interruption.ts'

// A chat completion as it is written: chunks, and `[DONE]` at the end.

const toMessage = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

/** A comment keeps the connection open. */
export const heartbeat = ': nothing new\n\n'

/** An error as the data of a stream. */
export const toStreamedError = (error: ApiError) => toOpenAiError(errorBody(error, (path) => path.join('.')))

type Form = { model: string; hasUsage: boolean }

/** The chunks of one completion. */
const createChunks = (run: RunRow, { model, hasUsage }: Form) => {
  const head = { id: run.id, object: 'chat.completion.chunk', created: toUnixSeconds(run.createdAt), model }
  const usage = hasUsage ? { usage: null } : {}
  const add = (delta: object, finishReason: 'stop' | null = null) => {
    const choice = { index: 0, delta, logprobs: null, finish_reason: finishReason }
    return toMessage({ ...head, choices: [choice], ...usage })
  }
  const end = (ended: RunRow) => {
    const last = hasUsage ? toMessage({ ...head, choices: [], usage: toChatUsage(ended) }) : ''
    return `${add({}, 'stop')}${last}data: [DONE]\n\n`
  }
  return { add, end }
}

type Chunks = ReturnType<typeof createChunks>

/** Writes the news of a run as chunks. Citations count from the beginning of the whole content. */
const createWriter = (chunks: Chunks, base: SourceBase) => {
  // The length of the content so far, and where the text of the present step begins in it.
  let [length, begin, isOpen] = [0, 0, false]
  const addText = (delta: string): string => {
    const content = isOpen || length === 0 ? delta : betweenSteps + delta
    if (!isOpen) begin = length + content.length - delta.length
    ;[length, isOpen] = [length + content.length, true]
    return chunks.add({ content })
  }
  return (news: StepNews): string => {
    if (news.type === 'idle') return heartbeat
    if (news.type === 'reasoning') return chunks.add({ reasoning_content: news.delta })
    if (news.type === 'text') return addText(news.delta)
    isOpen = false
    const annotations = news.type === 'step' ? toCitations(base, news.step, begin).map(toChatAnnotation) : []
    return annotations.length > 0 ? chunks.add({ annotations }) : ''
  }
}

/**
 * Streams a run. A stream cannot take back what it has sent: the text of an attempt that died stays before the text of the next
 * one. A call that is not streamed answers only the latter.
 */
export async function* streamChat(deps: AppDeps, call: PostCall, begun: BegunRun, form: Form): AsyncGenerator<string> {
  try {
    const chunks = createChunks(begun.run, form)
    yield chunks.add({ role: 'assistant', content: '' })
    const { brainHandle } = await readAnswerDetails(deps, begun.run)
    const write = createWriter(chunks, { publicUrl: deps.publicUrl, brainHandle })
    for await (const news of followSteps(deps, call, begun)) yield write(news)
    const { run, error } = await readEnd(deps, call, begun.run)
    yield error ? toMessage(toStreamedError(error)) : chunks.end(run)
  } finally {
    begun.finish()
  }
}
