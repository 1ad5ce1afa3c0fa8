import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'
import { itemType } from './search.ts'

// Agents as models: the part of OpenAI's API that lets any client of it talk to an agent. Bodies, answers and errors have
// OpenAI's shape, so that these endpoints are not methods of the SDK.

/** The name of an agent as a model: its own name, or its id where other agents have that name. Both are accepted. */
export const modelId = z
  .string('model is the name or the id of an agent.')
  .min(1, 'model is the name or the id of an agent.')
  .max(200, 'model is the name or the id of an agent: it has at most 200 characters.')

/** Seconds since 1970, as OpenAI's API has times. */
export const unixSeconds = z.int().describe('A time, in seconds since 1970.')

/** A place of an answer that a source supports. */
export const citedPlace = {
  start_index: z.int().min(0).describe('Where the cited text begins in the answer.'),
  end_index: z.int().min(0).describe('Where it ends.'),
  title: z.string().describe('The title of the source.'),
  url: z.string().describe('A web page, or the page of the console that shows the item of the Brain.'),
}

/** The cited version of an item of a Brain. */
export const citedItem = z
  .object({
    brain: z.string().optional().describe('The handle of the Brain.'),
    type: itemType.describe('The type of the item.'),
    id: z.string().describe('The id of the item.'),
    version: z.int().describe('The version that was read.'),
  })
  .describe('The cited version of an item of a Brain; it is not there for web pages.')

export const listedModel = z
  .object({
    id: z.string().describe('The name of the agent, or its id where other agents have that name.'),
    object: z.literal('model').describe('Always `model`.'),
    created: unixSeconds,
    owned_by: z.string().describe('The organization.'),
    name: z.string().describe('The name of the agent.'),
    agent_id: z.string().describe('The id of the agent.'),
  })
  .describe('An agent, as a model.')
export type ListedModel = z.infer<typeof listedModel>

/** The metadata of OpenAI's API: at most 16 texts. */
export const stringMetadata = z
  .record(z.string().max(64, 'A key of metadata has at most 64 characters.'), z.string().max(512))
  .refine((given) => Object.keys(given).length <= 16, { error: 'metadata has at most 16 entries.' })
  .refine((given) => !Object.hasOwn(given, 'openai'), { error: 'The key openai of metadata is taken.' })
  .nullish()
  .describe('Your own texts, at most 16. The run keeps them.')

/** The caller's tools, of which there are none: agents have tools of their own. */
export const noTools = z
  .array(z.unknown())
  .max(0, 'Agents call the tools of their own definition. Send no tools, and add connectors to the agent instead.')
  .nullish()
  .describe('Not supported: agents have tools of their own.')

const access = 'management'
const openai = true

export const listModels = defineEndpoint({
  method: 'GET',
  path: '/v1/models',
  summary: 'List agents as models',
  description: 'Lists the agents that are not archived, as the models of an API of OpenAI.',
  access,
  openai,
  status: [200],
  result: z.object({
    object: z.literal('list').describe('Always `list`.'),
    data: z.array(listedModel).describe('The agents.'),
  }),
})

export const getModel = defineEndpoint({
  method: 'GET',
  path: '/v1/models/{id}',
  summary: 'Read an agent as a model',
  description: 'Reads an agent by its name or its id.',
  access,
  openai,
  errors: ['model_not_found'],
  status: [200],
  result: listedModel,
})
