import { z } from 'zod'
import { json, timestamp } from './common.ts'

/** Who speaks in a message: a person, the model, a tool that the model called, or whoever instructs it. */
export const messageRole = z.enum(['system', 'user', 'assistant', 'tool'])
export type MessageRole = z.infer<typeof messageRole>

/** Text that was said. */
const textPart = z.object({ type: z.literal('text'), text: z.string() })

/** What a model thought, where its provider tells. */
const reasoningPart = z.object({ type: z.literal('reasoning'), text: z.string() })

/** A call that the model asked for. `toolCallId` is the id of the operation that made it. */
const toolCallPart = z.object({
  type: z.literal('tool-call'),
  toolCallId: z.string(),
  toolName: z.string(),
  input: json,
})

/** What a tool answered, or why it could not (`isError`). */
const toolResultPart = z.object({
  type: z.literal('tool-result'),
  toolCallId: z.string(),
  toolName: z.string(),
  output: json,
  isError: z.boolean(),
})

/** What an answer rests on: a page on the web, or a record, statement or document by its address. */
const sourcePart = z.object({
  type: z.literal('source'),
  sourceType: z.enum(['url', 'document']),
  id: z.string(),
  url: z.string().optional(),
  mediaType: z.string().optional(),
  title: z.string().optional(),
  filename: z.string().optional(),
  providerMetadata: z.record(z.string(), z.unknown()).optional(),
})

/** A part of a message. */
export const messagePart = z.discriminatedUnion('type', [
  textPart,
  reasoningPart,
  toolCallPart,
  toolResultPart,
  sourcePart,
])
export type MessagePart = z.infer<typeof messagePart>

/** A message of a run. `text` is its text parts, joined; `operationId` the operation that made it, if one did. */
export const message = z.object({
  id: z.string(),
  role: messageRole,
  parts: z.array(messagePart),
  text: z.string(),
  createdAt: timestamp,
  runId: z.string(),
  operationId: z.string().optional(),
})
export type Message = z.infer<typeof message>

/** Maximum number of messages that a run is started with. */
export const maxInputMessages = 500

/** A message as a caller sends it: its text, or parts of text as the AI SDK's chat has them. */
export const inputMessage = z.union(
  [
    z.object({ role: z.enum(['system', 'user', 'assistant']), text: z.string() }),
    z.object({ role: z.enum(['system', 'user', 'assistant']), parts: z.array(textPart).min(1) }),
  ],
  { error: 'A message is { role, text } or { role, parts: [{ type: "text", text }] }.' },
)
export type InputMessage = z.infer<typeof inputMessage>
