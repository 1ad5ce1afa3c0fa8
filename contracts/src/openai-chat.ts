import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'
import { maxInputMessages } from './messages.ts'
import { citedItem, citedPlace, modelId, noTools, stringMetadata, unixSeconds } from './openai-models.ts'

// Chat completions: a call carries the whole conversation, and is one run.

/** A text of a message, under the names that OpenAI's APIs have for it. */
export const textContent = z
  .object({
    type: z
      .enum(['text', 'input_text', 'output_text'], 'Agents read text. Send no images, audio or files.')
      .describe('The type of the part.'),
    text: z.string('A part of a message has a text.').describe('The text.'),
  })
  .describe('A text of a message.')

/** The content of a message: text, or parts that are texts. */
export const messageContent = z.union([z.string(), z.array(textContent)]).describe('The text, or parts with texts.')

/** The authors of messages. Messages of tools belong to a caller with tools of its own. */
export const authorRole = z
  .enum(['system', 'developer', 'user', 'assistant'], 'role is system, developer, user or assistant.')
  .describe('Who speaks. `developer` means `system`.')

const chatMessage = z
  .object({ role: authorRole, content: messageContent.nullish().describe('The text, or parts with texts.') })
  .describe('A message of the conversation.')

const annotation = z
  .object({
    type: z.literal('url_citation').describe('Always `url_citation`.'),
    url_citation: z.object(citedPlace).describe('The place and the source.'),
    noema: citedItem.optional(),
  })
  .describe('A citation.')

/** The tokens of a run, counted as chat completions do. */
export const chatUsage = z
  .object({
    prompt_tokens: z.int().describe('How many tokens the models read.'),
    completion_tokens: z.int().describe('How many tokens the models wrote.'),
    total_tokens: z.int().describe('Their sum.'),
  })
  .describe('The tokens of the run and of the runs that it started.')

const chatCompletion = z
  .object({
    id: z.string().describe('The id of the run.'),
    object: z.literal('chat.completion').describe('Always `chat.completion`.'),
    created: unixSeconds,
    model: z.string().describe('The model that was asked for.'),
    choices: z
      .array(
        z.object({
          index: z.literal(0).describe('Always 0.'),
          message: z
            .object({
              role: z.literal('assistant').describe('Always `assistant`.'),
              content: z.string().describe('The answer.'),
              refusal: z.null().describe('Always null.'),
              annotations: z.array(annotation).describe('The citations.'),
              reasoning_content: z
                .string()
                .optional()
                .describe('The reasoning of the model, if its provider returns it.'),
            })
            .describe('The message.'),
          logprobs: z.null().describe('Always null.'),
          finish_reason: z.literal('stop').describe('Always `stop`.'),
        }),
      )
      .describe('The one answer.'),
    usage: chatUsage,
  })
  .describe('The answer of a run.')
export type ChatCompletion = z.infer<typeof chatCompletion>
export type ChatAnnotation = z.infer<typeof annotation>

export const createChatCompletion = defineEndpoint({
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'Ask an agent, as a chat completion',
  description:
    'Starts a run of the agent that `model` names, and answers when it has ended: whole, or with `stream` as ' +
    'Server-Sent Events. A call carries its whole conversation in `messages` and belongs to no stored one. A caller ' +
    'that goes away cancels the run, unless the call has an Idempotency-Key: then the run goes on, and a repeat gets ' +
    'its answer. A run that fails is 500 `run_failed`; one that takes more than ten minutes is 503 `run_unfinished`, ' +
    'and goes on, unless the call is streamed. Other parameters of the model, such as `temperature`, are ignored: the ' +
    'agent decides them. Errors have the shape of OpenAI.',
  access: 'management',
  openai: true,
  body: z.object({
    model: modelId.describe('The name or the id of an agent.'),
    messages: z
      .array(chatMessage, 'messages is the conversation: a list of { role, content }.')
      .min(1, 'messages has one message at least.')
      .max(maxInputMessages, `messages has at most ${maxInputMessages} messages.`)
      .describe('The conversation, the question last.'),
    stream: z.boolean().nullish().describe('Whether the answer is sent as it is written.'),
    stream_options: z
      .object({ include_usage: z.boolean().nullish().describe('Whether the last chunk has the usage.') })
      .nullish()
      .describe('Options of a stream.'),
    metadata: stringMetadata,
    n: z.literal(1, 'An agent gives one answer: n is 1.').nullish().describe('How many answers: 1.'),
    tools: noTools,
    functions: noTools,
    response_format: z
      .object({
        type: z
          .literal('text', "An agent's outputSchema decides the form of its answers: response_format is text.")
          .describe('Always `text`.'),
      })
      .nullish()
      .describe("The form of the answer: text. An agent's outputSchema decides about others."),
    modalities: z.array(z.literal('text', 'Agents write text.')).nullish().describe('What the answer may be: text.'),
    logprobs: z.literal(false, 'Agents give no logprobs.').nullish().describe('Not supported.'),
  }),
  idempotencyKey: 'header',
  errors: [
    ...(['model_not_found', 'agent_archived', 'project_archived', 'run_cap'] as const),
    ...(['run_failed', 'run_unfinished', 'too_many_streams'] as const),
  ],
  status: [200],
  result: chatCompletion,
})
