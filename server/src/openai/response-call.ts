import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { type InputMessage, maxInputMessages } from '@noema/contracts/messages.ts'
import type { createResponse } from '@noema/contracts/openai-responses.ts'
import type { AppDeps } from '../api/app-deps.ts'
import { instructed, readSpoken } from '../features/agents/messages/answers.ts'
import { unknownResponse } from '../features/agents/runs/refusals.ts'
import { selectSeenBrains } from '../features/agents/runs/seen-queries.ts'
import { conflict, invalidArgument } from '../shared/errors.ts'
import type { AskedRun, PostCall } from './begin-run.ts'
import { readMessages } from './read-messages.ts'

// The run that a call of the Responses API asks for: alone, the next turn of a stored conversation, or with all that was said up
// to an earlier response as its input. So an earlier response may be continued more than once, each time as if it were the last.

export type ResponseBody = BodyOutput<typeof createResponse>

/** The facts about a response that its run keeps in `metadata.openai`. */
export type KeptFacts = { previousResponseId?: string; instructions?: string; background?: true }

/** The messages up to the end of an earlier response, and the Brains whose content may be in them. */
const readEarlier = async (
  deps: AppDeps,
  organizationId: string,
  id: string,
): Promise<{ said: InputMessage[]; seenBrains: string[] }> => {
  const run = await deps.runs.find({ organizationId, id })
  if (!run) throw unknownResponse()
  if (run.completedAt === null)
    throw conflict('The previous response is not complete. Wait for its end, or cancel it.', {
      details: [{ path: ['previous_response_id'], message: 'It is not complete.' }],
    })
  const seenBrains = await selectSeenBrains(deps.keyedDb, run)
  const spoken = await readSpoken(deps, run)
  return { said: spoken.map(({ role, text }) => ({ role, text })), seenBrains }
}

const maxKeptInstructions = 1_000

/** Reads a call. Its instructions come first, so that the run's record knows them. */
export const readResponseCall = async (
  deps: AppDeps,
  { principal }: Pick<PostCall, 'principal'>,
  body: ResponseBody,
): Promise<AskedRun> => {
  const { previous_response_id: previous, conversation, instructions, metadata, background } = body
  if (previous && conversation)
    throw invalidArgument(['conversation'], 'Send previous_response_id or conversation, not both.')
  const earlier = previous ? await readEarlier(deps, principal.organization.id, previous) : undefined
  const given = readMessages(typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input)
  const system: InputMessage[] = instructions ? [{ role: 'system', text: instructions }] : []
  const room = maxInputMessages - system.length - given.length
  const kept: KeptFacts = {
    ...(previous ? { previousResponseId: previous } : {}),
    ...(instructions ? { [instructed]: instructions.slice(0, maxKeptInstructions).toWellFormed() } : {}),
    ...(background ? { background } : {}),
  }
  return {
    model: body.model,
    input: [...system, ...(room > 0 ? (earlier?.said.slice(-room) ?? []) : []), ...given],
    seenBrains: earlier?.seenBrains,
    metadata: Object.keys(kept).length > 0 ? { ...metadata, openai: kept } : metadata,
    ...(conversation ? { conversationId: typeof conversation === 'string' ? conversation : conversation.id } : {}),
    isDetached: background === true,
  }
}
