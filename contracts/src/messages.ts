import { z } from 'zod'
import { itemId, json, timestamp } from './common.ts'

/** The author of a message: a person, the model, a tool that the model called, or the system. */
export const messageRole = z.enum(['system', 'user', 'assistant', 'tool'])
export type MessageRole = z.infer<typeof messageRole>

/** Text that was said. */
const textPart = z.object({ type: z.literal('text').describe('The type.'), text: z.string().describe('The text.') })

/** The reasoning of a model, if its provider returns it. */
const reasoningPart = z.object({
  type: z.literal('reasoning').describe('The type.'),
  text: z.string().describe('The text.'),
})

/** A call that the model asked for. `toolCallId` is the id of the operation that made it. */
const toolCallPart = z.object({
  type: z.literal('tool-call').describe('The type.'),
  toolCallId: z.string().describe('The id of the operation that the call made.'),
  toolName: z.string().describe('The name of the tool.'),
  input: json,
})

/** The result of a tool, or its error (`isError`). */
const toolResultPart = z.object({
  type: z.literal('tool-result').describe('The type.'),
  toolCallId: z.string().describe('The id of the operation that the call made.'),
  toolName: z.string().describe('The name of the tool.'),
  output: json,
  isError: z.boolean().describe('True if the tool reported an error.'),
})

/** A source of an answer: a web page, or a record, statement or document by its address. */
const sourcePart = z.object({
  type: z.literal('source').describe('The type.'),
  sourceType: z.enum(['url', 'document']).describe('Whether an address or a document is cited.'),
  id: itemId,
  url: z.string().optional().describe('The address.'),
  mediaType: z.string().optional().describe('The media type.'),
  title: z.string().optional().describe('The title, for people.'),
  filename: z.string().optional().describe('The name of the file.'),
  providerMetadata: z.record(z.string(), z.unknown()).optional().describe('Metadata from the provider of the model.'),
})

export const messagePart = z
  .discriminatedUnion('type', [textPart, reasoningPart, toolCallPart, toolResultPart, sourcePart])
  .describe('A part of a message.')
export type MessagePart = z.infer<typeof messagePart>

export const message = z
  .object({
    id: itemId,
    role: messageRole.describe('Who speaks.'),
    parts: z.array(messagePart).describe('The parts of the message.'),
    text: z.string().describe('The text.'),
    createdAt: timestamp,
    runId: z.string().describe('The id of the run.'),
    operationId: z.string().optional().describe('The id of the operation.'),
  })
  .describe(
    'A message of a run. `text` is its text parts, joined; `operationId` the operation that made it, if one did.',
  )
export type Message = z.infer<typeof message>

/** Maximum number of messages that a run is started with. */
export const maxInputMessages = 500

/** Fields that a caller sends back with a message from an answer. They are accepted and ignored. */
const ofAnswer = {
  id: z.string().exactOptional().describe('The id that an answer gave to the message. Not used.'),
  createdAt: z.string().exactOptional().describe('The time that an answer gave to the message. Not used.'),
  runId: z.string().exactOptional().describe('The run that an answer gave to the message. Not used.'),
  operationId: z.string().exactOptional().describe('The operation that an answer gave to the message. Not used.'),
}

export const inputMessage = z
  .object({
    role: messageRole.describe('Who speaks.'),
    text: z.string().exactOptional().describe('The text.'),
    content: z.string().exactOptional().describe('The text, under the name that the APIs of models have for it.'),
    parts: z
      .array(messagePart)
      .exactOptional()
      .describe(
        "The parts of the message, as the AI SDK's chat has them. With them, `text` and `content` do not count.",
      ),
    ...ofAnswer,
  })
  .refine(({ text, content, parts }) => text !== undefined || content !== undefined || parts !== undefined, {
    error: 'A message is { role, text }, { role, content } or { role, parts: [{ type: "text", text }] }.',
  })
  .describe(
    'A message as a caller sends it, to a run and to a context alike: with its text as `text`, `content` or parts. A ' +
      'message that an answer gave is taken as it is.',
  )
export type InputMessage = z.infer<typeof inputMessage>

/** The text of a message, in whichever form it was sent. */
export const readText = ({ text, content, parts }: InputMessage): string =>
  parts?.flatMap((part) => (part.type === 'text' ? part.text : [])).join('') ?? text ?? content ?? ''
