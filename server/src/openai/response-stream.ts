import type { OutputMessage } from '@noema/contracts/openai-responses.ts'
import type { AppDeps } from '../api/app-deps.ts'
import { readAnswerDetails, type StepText } from '../features/agents/messages/answers.ts'
import type { BegunRun, PostCall } from './begin-run.ts'
import { heartbeat, toStreamedError } from './chat-stream.ts'
import type { SourceBase } from './citations.ts'
import { followSteps } from './follow-steps.ts'
import { readEnd } from './interruption.ts'
import { readResponse, toOutputMessage, toResponse } from './response-answer.ts'

// A response as it is written: events that are numbered from 0, the last of which has the whole response.

type Event = { type: string; [name: string]: unknown }

const createEvents = () => {
  let number = 0
  return ({ type, ...data }: Event): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`
}

/** The item of the present step, and its position in the output. */
type OpenItem = { id: string; index: number; text: string }

const place = ({ id, index }: OpenItem) => ({ item_id: id, output_index: index, content_index: 0 })

const emptyText = { type: 'output_text', text: '', annotations: [], logprobs: [] }

const toItem = (id: string, status: string, content: object[]) => ({
  ...{ type: 'message', id, status, role: 'assistant', content },
})

/** The events of the items of an output. */
const createItems = (base: SourceBase) => {
  let open: OpenItem | undefined
  let count = 0
  const openItem = (id: string): Event[] => {
    open = { id, index: count++, text: '' }
    return [
      { type: 'response.output_item.added', output_index: open.index, item: toItem(id, 'in_progress', []) },
      { type: 'response.content_part.added', ...place(open), part: emptyText },
    ]
  }
  const close = (item: OpenItem, message: OutputMessage): Event[] => {
    open = undefined
    const [part] = message.content
    const annotations = part?.annotations ?? []
    return [
      ...annotations.map((annotation, index) => ({
        ...{ type: 'response.output_text.annotation.added', ...place(item), annotation_index: index, annotation },
      })),
      { type: 'response.output_text.done', ...place(item), text: part?.text ?? '', logprobs: [] },
      { type: 'response.content_part.done', ...place(item), part },
      { type: 'response.output_item.done', output_index: item.index, item: message },
    ]
  }
  return {
    addText: (operationId: string, delta: string): Event[] => {
      const opening = open ? [] : openItem(operationId)
      if (!open) return []
      open.text += delta
      return [...opening, { type: 'response.output_text.delta', ...place(open), delta, logprobs: [] }]
    },
    finish: (step: StepText): Event[] => (open ? close(open, toOutputMessage(base, step)) : []),
    /** Closes an item that was interrupted. */
    interrupt: (): Event[] => {
      if (!open) return []
      const { id, text } = open
      return close(open, { ...toOutputMessage(base, { operationId: id, text, sources: [] }), status: 'incomplete' })
    },
  }
}

/** Streams a run. The item of an attempt that died ends as incomplete, and the last event does not have it. */
export async function* streamResponse(
  deps: AppDeps,
  call: PostCall,
  begun: BegunRun,
  model: string,
): AsyncGenerator<string> {
  try {
    const toText = createEvents()
    const toTexts = (events: readonly Event[]) => events.map(toText).join('')
    const empty = toResponse(begun.run, { model, output: [], usage: null })
    yield toTexts([
      { type: 'response.created', response: empty },
      { type: 'response.in_progress', response: { ...empty, status: 'in_progress' } },
    ])
    const { brainHandle } = await readAnswerDetails(deps, begun.run)
    const items = createItems({ publicUrl: deps.publicUrl, brainHandle })
    for await (const news of followSteps(deps, call, begun)) {
      if (news.type === 'idle') yield heartbeat
      else if (news.type === 'text') yield toTexts(items.addText(news.operationId, news.delta))
      else if (news.type === 'step') yield toTexts(items.finish(news.step))
      else if (news.type === 'restart') yield toTexts(items.interrupt())
    }
    yield toTexts(items.interrupt())
    const { run, error, hasEnded } = await readEnd(deps, call, begun.run)
    const response = hasEnded ? await readResponse(deps, run, model) : undefined
    if (response) yield toText({ type: error ? 'response.failed' : 'response.completed', response })
    else if (error) yield toText({ ...toStreamedError(error).error, type: 'error' })
  } finally {
    begun.finish()
  }
}
