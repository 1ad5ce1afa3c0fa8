import { z } from 'zod'
import { wholeNumber } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { itemType } from './search.ts'

type StreamedText = 'text' | 'reasoning'

/** A task of a run, as its stream reports it. */
export type TaskNews = { taskId: string; operationId: string; state: 'open' | 'completed' | 'expired' }

/** The source of a quote of noema/extractive: the version of the item, and the words. */
export const quotedAddress = z.object({
  brain: z.string().optional(),
  type: itemType,
  id: z.string(),
  version: z.int(),
  quotes: z.array(z.string()),
})

type SourceAddress = { providerMetadata?: { noema: z.infer<typeof quotedAddress> } }

/**
 * A part of a run's stream: a chunk of the AI SDK's UI message stream protocol, of which a run uses these. Ids of text and
 * reasoning are unique in the run, `toolCallId` is the id of the operation, and a run is one message to the AI SDK. Two are
 * specific to runs. `data-task` is a question to a person; it is part of the message and changes with the task.
 * `data-restart` makes live readers drop the text of an attempt that failed; it follows a `reset-step`.
 */
export type RunPart =
  | { type: 'start'; messageId: string }
  | { type: 'start-step' | 'finish-step' | 'reset-step' }
  | { type: `${StreamedText}-start` | `${StreamedText}-end`; id: string }
  | { type: `${StreamedText}-delta`; id: string; delta: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | ({ type: 'source-document'; sourceId: string; mediaType: string; title: string; filename?: string } & SourceAddress)
  | { type: 'data-task'; id: string; data: TaskNews }
  | { type: 'data-restart'; data: { operationId: string; from: number }; transient: true }
  | { type: 'finish'; finishReason: 'stop' }
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason?: string }

const place = wholeNumber('after is the id of a part that the stream sent: a whole number, 0 or more.', {
  min: 0,
  max: 2_147_483_647,
})

export const streamRun = defineEndpoint({
  method: 'GET',
  path: '/v1/runs/{id}/stream',
  summary: 'Read a run as it happens, as Server-Sent Events',
  description:
    'Reads a run as Server-Sent Events, from its first part or after one: what is there at once, then what comes, ' +
    'until the run has ended. The last message is `[DONE]`. The id of each part is its number, so that ' +
    '`Last-Event-ID` (which counts more) or `after` goes on where a stream broke, on any node. Parts of an attempt ' +
    'that died are not sent any more.',
  access: 'management',
  query: z.object({
    after: place.optional().describe('The number of a part; what comes after it is sent'),
  }),
  status: [200],
  sse: true,
  result: z.string().describe("Parts of the AI SDK's UI message stream, as JSON"),
})
