import { createChatCompletion } from '@noema/contracts/openai-chat.ts'
import { getModel, type ListedModel, listModels } from '@noema/contracts/openai-models.ts'
import { cancelResponse, createResponse, getResponse } from '@noema/contracts/openai-responses.ts'
import type { AppDeps } from '../api/app-deps.ts'
import { type Call, defineBinding } from '../api/binding.ts'
import { checkId } from '../api/path-arguments.ts'
import { type AgentModel, findAgentModel, listAgentModels, nameModel } from '../features/agents/agents/models.ts'
import { readAnswerDetails, readStepTexts } from '../features/agents/messages/answers.ts'
import { cancelRun, findRun } from '../features/agents/runs/runs.ts'
import { awaitRun, beginRun, startDetached } from './begin-run.ts'
import { toChatCompletion, toUnixSeconds } from './chat-answer.ts'
import { streamChat } from './chat-stream.ts'
import { findFailure, toUnfinished } from './interruption.ts'
import { readMessages } from './read-messages.ts'
import { readResponse } from './response-answer.ts'
import { readResponseCall } from './response-call.ts'
import { streamResponse } from './response-stream.ts'

// Agents as models, in the format of OpenAI's API. A call is a run like any other: the same rights, caps, journal and events.

const modelView = ({ id, name, agentId, createdAt }: AgentModel, owner: string): ListedModel => ({
  ...{ id, object: 'model', created: toUnixSeconds(createdAt), owned_by: owner, name, agent_id: agentId },
})

const complete = async (deps: AppDeps, call: Call<typeof createChatCompletion>) => {
  const { body } = call
  const { model, stream: isStreamed, stream_options: options, metadata } = body
  const asked = { model, input: readMessages(body.messages), metadata, isStreamed: isStreamed === true }
  const begun = await beginRun(deps, call, asked)
  if (isStreamed)
    return { messages: streamChat(deps, call, begun, { model, hasUsage: options?.include_usage === true }) }
  const run = await awaitRun(deps, call, begun)
  const failure = findFailure(run)
  if (failure) throw failure
  if (run.completedAt === null) throw toUnfinished(run)
  const { brainHandle } = await readAnswerDetails(deps, run)
  const answer = { model, steps: await readStepTexts(deps, run), base: { publicUrl: deps.publicUrl, brainHandle } }
  return { data: toChatCompletion(run, answer), replayed: !begun.isNew }
}

const respond = async (deps: AppDeps, call: Call<typeof createResponse>) => {
  const { model, stream: isStreamed, background } = call.body
  const asked = await readResponseCall(deps, call, call.body)
  if (background && !isStreamed)
    return { data: await readResponse(deps, await startDetached(deps, call, asked), model) }
  const begun = await beginRun(deps, call, { ...asked, isStreamed: isStreamed === true })
  if (isStreamed) return { messages: streamResponse(deps, call, begun, model) }
  return { data: await readResponse(deps, await awaitRun(deps, call, begun), model), replayed: !begun.isNew }
}

/** Cancels a run. A repeat is answered as the first call was. */
const cancel = async (deps: AppDeps, { principal, params }: Call<typeof cancelResponse>) => {
  const place = { organizationId: principal.organization.id, id: checkId(params.id) }
  const { state } = await findRun(deps, place)
  if (state !== 'abandoned') await cancelRun(deps, place, 'Cancelled by request.')
  const run = await findRun(deps, place)
  return { data: await readResponse(deps, run, await nameModel(deps, place.organizationId, run.agentId)) }
}

export const openAiBindings = [
  defineBinding(listModels, async (deps, { principal }) => {
    const { id, name } = principal.organization
    const models = await listAgentModels(deps, id, principal.viewer)
    return { data: { object: 'list', data: models.map((model) => modelView(model, name)) } }
  }),
  defineBinding(getModel, async (deps, { principal, params }) => {
    const { id: organizationId, name } = principal.organization
    const place = { organizationId, viewer: principal.viewer }
    return { data: modelView(await findAgentModel(deps, place, params.id, ['id']), name) }
  }),
  defineBinding(createChatCompletion, complete),
  defineBinding(createResponse, respond),
  defineBinding(getResponse, async (deps, { principal, params }) => {
    const { id } = principal.organization
    const run = await findRun(deps, { organizationId: id, id: checkId(params.id) })
    return { data: await readResponse(deps, run, await nameModel(deps, id, run.agentId)) }
  }),
  defineBinding(cancelResponse, cancel),
]
