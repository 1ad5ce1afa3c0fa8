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
  toolCallId: z.string().describe('The id that the model gave to the call.'),
  toolName: z.string().describe('The name of the tool.'),
  input: json,
})

/** The result of a tool, or its error (`isError`). */
const toolResultPart = z.object({
  type: z.literal('tool-result').describe('The type.'),
  toolCallId: z.string().describe('The id that the model gave to the call.'),
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

export const inputMessage = z
  .union(
    [
      z.object({
        role: z.enum(['system', 'user', 'assistant']).describe('Who speaks.'),
        text: z.string().describe('The text.'),
      }),
      z.object({
        role: z.enum(['system', 'user', 'assistant']).describe('Who speaks.'),
        parts: z.array(textPart).min(1).describe('The parts of the message.'),
      }),
    ],
    { error: 'A message is { role, text } or { role, parts: [{ type: "text", text }] }.' },
  )
  .describe("A message as a caller sends it: its text, or parts of text as the AI SDK's chat has them.")
export type InputMessage = z.infer<typeof inputMessage>
