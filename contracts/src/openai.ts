import { createChatCompletion } from './openai-chat.ts'
import { getModel, listModels } from './openai-models.ts'
import { cancelResponse, createResponse, getResponse } from './openai-responses.ts'

/** The endpoints in the format of OpenAI, under the names that the API's reference has for them. */
export const openAiEndpoints = [
  { name: 'openai.models.list', endpoint: listModels },
  { name: 'openai.models.get', endpoint: getModel },
  { name: 'openai.chat.completions', endpoint: createChatCompletion },
  { name: 'openai.responses.create', endpoint: createResponse },
  { name: 'openai.responses.get', endpoint: getResponse },
  { name: 'openai.responses.cancel', endpoint: cancelResponse },
] as const
export type OpenAiEndpointName = (typeof openAiEndpoints)[number]['name']
