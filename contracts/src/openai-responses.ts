import { z } from 'zod'
import { itemId } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { maxInputMessages } from './messages.ts'
import { authorRole, messageContent } from './openai-chat.ts'
import { citedItem, citedPlace, modelId, noTools, stringMetadata, unixSeconds } from './openai-models.ts'

// Responses: a call is one run, alone, after an earlier response, or as the next turn of a stored conversation.

const inputItem = z
  .object({
    type: z
      .literal('message', 'Agents read messages: send no calls of tools, reasoning or references.')
      .optional()
      .describe('Always `message`.'),
    role: authorRole,
    content: messageContent,
  })
  .describe('A message.')

const annotation = z
  .object({
    type: z.literal('url_citation').describe('Always `url_citation`.'),
    ...citedPlace,
    noema: citedItem.optional(),
  })
  .describe('A citation.')
export type ResponseAnnotation = z.infer<typeof annotation>

export const outputMessage = z
  .object({
    type: z.literal('message').describe('Always `message`.'),
    id: z.string().describe('The id of the operation that wrote it.'),
    status: z.enum(['completed', 'incomplete']).describe('`incomplete`: it was interrupted.'),
    role: z.literal('assistant').describe('Always `assistant`.'),
    content: z
      .array(
        z.object({
          type: z.literal('output_text').describe('Always `output_text`.'),
          text: z.string().describe('The text.'),
          annotations: z.array(annotation).describe('The citations.'),
          logprobs: z.array(z.never()).describe('Always empty.'),
        }),
      )
      .describe('One text.'),
  })
  .describe('A message of the agent.')
export type OutputMessage = z.infer<typeof outputMessage>

export const responseStatus = z.enum(['queued', 'in_progress', 'completed', 'failed', 'cancelled'])

export const response = z
  .object({
    id: z.string().describe('The id of the run.'),
    object: z.literal('response').describe('Always `response`.'),
    created_at: unixSeconds,
    status: responseStatus.describe('The state of the run.'),
    background: z.boolean().describe('Whether the run goes on without its caller.'),
    error: z
      .object({
        code: z.literal('server_error').describe('Always `server_error`.'),
        message: z.string().describe('Why the run failed.'),
      })
      .nullable()
      .describe('Why the run failed or was cancelled; null unless it was.'),
    incomplete_details: z.null().describe('Always null.'),
    instructions: z.string().nullable().describe('The instructions of the call; null if there are none.'),
    model: z.string().describe('The agent.'),
    output: z.array(outputMessage).describe('The messages of the agent; the last is its answer.'),
    previous_response_id: z.string().nullable().describe('The response that this one continues.'),
    conversation: z
      .object({ id: itemId })
      .nullable()
      .describe('The stored conversation of the run; null if there is none.'),
    metadata: z.record(z.string(), z.string()).describe('Your own texts.'),
    parallel_tool_calls: z.literal(true).describe('Always true.'),
    tool_choice: z.literal('auto').describe('Always `auto`.'),
    tools: z.array(z.never()).describe('Always empty: agents have tools of their own.'),
    temperature: z.null().describe('Always null: the agent decides it.'),
    top_p: z.null().describe('Always null: the agent decides it.'),
    store: z.literal(true).describe('Always true.'),
    usage: z
      .object({
        input_tokens: z.int().describe('How many tokens the models read.'),
        output_tokens: z.int().describe('How many tokens the models wrote.'),
        total_tokens: z.int().describe('Their sum.'),
        input_tokens_details: z
          .object({ cached_tokens: z.int().describe('Of them, how many came from a cache.') })
          .describe('More about the tokens that were read.'),
        output_tokens_details: z
          .object({ reasoning_tokens: z.int().describe('Of them, how many are reasoning.') })
          .describe('More about the tokens that were written.'),
      })
      .nullable()
      .describe('The tokens of the run and of the runs that it started; null until it has ended.'),
  })
  .describe('A run, as a response.')
export type Response = z.infer<typeof response>

const path = '/v1/responses' as const
const access = 'management'
const openai = true

export const createResponse = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Ask an agent, as a response',
  description:
    'Starts a run of the agent that `model` names. It answers when the run has ended: whole, or with `stream` as ' +
    'Server-Sent Events; with `background` at once. `conversation` makes the run the next turn of a stored ' +
    'conversation; `previous_response_id` gives it what that response and those before it said. A caller that goes ' +
    'away cancels the run, unless it is in the background or the call has an Idempotency-Key. After ten minutes the ' +
    'answer of a call that is not streamed is `in_progress`, and the run goes on. Other parameters of the model are ' +
    'ignored: the agent decides them. Errors have the shape of OpenAI.',
  access,
  openai,
  body: z.object({
    model: modelId.describe('The name or the id of an agent.'),
    input: z
      .union([z.string().min(1), z.array(inputItem).min(1).max(maxInputMessages)], {
        error: `input is text, or a list of 1 to ${maxInputMessages} messages { role, content }, whose content is text.`,
      })
      .describe('The question: text, or messages of which it is the last.'),
    instructions: z.string().max(100_000).nullish().describe("Instructions for this run, after the agent's own."),
    previous_response_id: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe('The response that this one continues. Its instructions are not taken over.'),
    conversation: z
      .union([z.string().min(1).max(100), z.object({ id: itemId })], {
        error: 'conversation is the id of a conversation, or { id }.',
      })
      .nullish()
      .describe('The stored conversation that the run belongs to.'),
    stream: z.boolean().nullish().describe('Whether the answer is sent as it is written.'),
    background: z.boolean().nullish().describe('Whether the answer is sent at once, and the run goes on.'),
    metadata: stringMetadata,
    tools: noTools,
    text: z
      .object({
        format: z
          .object({
            type: z
              .literal('text', "An agent's outputSchema decides the form of its answers: text.format is text.")
              .describe('Always `text`.'),
          })
          .nullish()
          .describe("The form of the answer: text. An agent's outputSchema decides about others."),
      })
      .nullish()
      .describe('Options of text.'),
  }),
  idempotencyKey: 'header',
  errors: ['model_not_found', 'agent_archived', 'project_archived', 'run_cap', 'too_many_streams'],
  status: [200],
  result: response,
})

export const getResponse = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a run as a response',
  description: 'Reads any run of the organization as a response, also while it goes on.',
  access,
  openai,
  status: [200],
  result: response,
})

export const cancelResponse = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/cancel`,
  summary: 'Cancel a run, as a response',
  description: 'Cancels a run. One that was cancelled before is answered as it is; one that ended otherwise is 409.',
  access,
  openai,
  errors: ['run_ended'],
  status: [200],
  result: response,
})
