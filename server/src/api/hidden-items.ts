import { getAgent } from '@noema/contracts/agents.ts'
import { putBrain } from '@noema/contracts/brains.ts'
import { createConversation, getConversation } from '@noema/contracts/conversations.ts'
import { getDistillation } from '@noema/contracts/distillations.ts'
import { getEvalRun } from '@noema/contracts/eval-runs.ts'
import { getEval } from '@noema/contracts/evals.ts'
import { getGoal } from '@noema/contracts/goals.ts'
import { getResponse } from '@noema/contracts/openai-responses.ts'
import { getOrganizationWebhook } from '@noema/contracts/organization-webhooks.ts'
import { getRun } from '@noema/contracts/runs.ts'
import { createSchedule, getSchedule } from '@noema/contracts/schedules.ts'
import { revokeRunShare } from '@noema/contracts/shared-runs.ts'
import { getTask } from '@noema/contracts/tasks.ts'
import { createTrigger, getTrigger } from '@noema/contracts/triggers.ts'
import type { Principal } from '../access/principal.ts'
import { noSuchAgent, unknownAgent } from '../features/agents/agents/agents.ts'
import { noSuchConversation } from '../features/agents/conversations/conversations.ts'
import { noSuchShare } from '../features/agents/run-shares/run-shares.ts'
import { unknownConversation, unknownResponse } from '../features/agents/runs/refusals.ts'
import { noSuchRun } from '../features/agents/runs/runs.ts'
import { noSuchSchedule } from '../features/agents/schedules/schedules.ts'
import { noSuchTask } from '../features/agents/tasks/tasks.ts'
import { noSuchTrigger } from '../features/agents/triggers/triggers.ts'
import { noSuchWebhook } from '../features/delivery/organization-webhooks/organization-webhooks.ts'
import { noSuchEvalRun } from '../features/evals/eval-runs/eval-runs.ts'
import { noSuchEval } from '../features/evals/evals/evals.ts'
import { noSuchGoal } from '../features/evals/goals/goals.ts'
import { noSuchDistillation } from '../features/learning/distillations/distillations.ts'
import type { ApiError } from '../shared/errors.ts'
import * as hidden from '../storage/brain-access.ts'
import type { Db } from '../storage/database.ts'

// Items of an organization that may hold content of a Brain are as hidden as the Brain: a member to whom it is not open gets the
// answer for an item that is not there. Endpoints name such items in their paths or bodies, so that this holds for each of them.

type Guard = { hides: typeof hidden.hidesRun; refuse: (id: string) => ApiError }

const ofPaths: Readonly<Record<string, Guard>> = {
  [getRun.path]: { hides: hidden.hidesRun, refuse: noSuchRun },
  [getResponse.path]: { hides: hidden.hidesRun, refuse: noSuchRun },
  [revokeRunShare.path]: { hides: hidden.hidesShare, refuse: noSuchShare },
  [getTask.path]: { hides: hidden.hidesTask, refuse: noSuchTask },
  [getConversation.path]: { hides: hidden.hidesConversation, refuse: noSuchConversation },
  [getEval.path]: { hides: hidden.hidesEval, refuse: noSuchEval },
  [getEvalRun.path]: { hides: hidden.hidesEvalRun, refuse: noSuchEvalRun },
  [getGoal.path]: { hides: hidden.hidesGoal, refuse: noSuchGoal },
  [getDistillation.path]: { hides: hidden.hidesDistillation, refuse: noSuchDistillation },
  [getAgent.path]: { hides: hidden.hidesAgent, refuse: noSuchAgent },
  [getSchedule.path]: { hides: hidden.hidesSchedule, refuse: noSuchSchedule },
  [getTrigger.path]: { hides: hidden.hidesTrigger, refuse: noSuchTrigger },
  [getOrganizationWebhook.path]: { hides: hidden.hidesWebhook, refuse: noSuchWebhook },
}

/** The guard of the item that a path names. */
const findGuard = (path: string): Guard | undefined =>
  Object.entries(ofPaths).find(([item]) => path === item || path.startsWith(`${item}/`))?.[1]

type Named = Readonly<Record<string, unknown>>

const readPart = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Named)[name] : undefined

/** The agents, conversations and earlier responses that a body names, with the refusals of those that are not there. */
const listNamed = (body: unknown): { id: string; hides: Guard['hides']; refusal: () => ApiError }[] => {
  const { agentId, conversationId, scope, conversation, previous_response_id: previous } = (body ?? {}) as Named
  const scoped = readPart(scope, 'agentId')
  const joined = readPart(conversation, 'id') ?? conversation
  return [
    { id: agentId, hides: hidden.hidesAgent, refusal: () => unknownAgent(['agentId'], String(agentId)) },
    { id: scoped, hides: hidden.hidesAgent, refusal: () => unknownAgent(['scope', 'agentId'], String(scoped)) },
    { id: conversationId, hides: hidden.hidesConversation, refusal: () => unknownConversation() },
    { id: joined, hides: hidden.hidesConversation, refusal: () => unknownConversation('conversation') },
    { id: previous, hides: hidden.hidesRun, refusal: unknownResponse },
  ].flatMap(({ id, ...named }) => (typeof id === 'string' ? [{ id, ...named }] : []))
}

type Given = { principal: Principal; params: Readonly<Record<string, string | undefined>>; body: unknown }

/** Their operations look up what is named as its caller, between other checks. */
const ownChecks: readonly string[] = [createTrigger.path, createSchedule.path, createConversation.path, putBrain.path]

/** A check of what a call names; undefined for an endpoint that names nothing which may be hidden. */
export const createHiddenCheck = (path: string, takesBody: boolean) => {
  const guard = findGuard(path)
  const readsBody = takesBody && !ownChecks.some((own) => path.startsWith(own))
  if (guard === undefined && !readsBody) return undefined
  return async (db: Db, { principal, params, body }: Given): Promise<void> => {
    if (principal.kind === 'public' || principal.kind === 'brain' || principal.viewer === undefined) return
    const [organizationId, viewer] = [hidden.asText(principal.organization?.id ?? ''), principal.viewer]
    const isHidden = (hides: Guard['hides'], id: string) =>
      hidden.holds(db, hides(organizationId, hidden.asText(id), viewer))
    if (guard && params.id !== undefined && (await isHidden(guard.hides, params.id))) throw guard.refuse(params.id)
    for (const { id, hides, refusal } of readsBody ? listNamed(body) : [])
      if (await isHidden(hides, id)) throw refusal()
  }
}

/** Checks whether a run is hidden from a person now, whatever was true when their call began. */
export const isRunHidden = (db: Db, run: { organizationId: string; id: string }, userId: string): Promise<boolean> => {
  const organizationId = hidden.asText(run.organizationId)
  const isLimited = hidden.isLimitedIn(organizationId, hidden.asText(userId))
  return hidden.holds(db, hidden.both(isLimited, hidden.hidesRun(organizationId, hidden.asText(run.id), userId)))
}

/** Refuses a run that is hidden by now from the person who waited for it, or who starts it again. */
export const refuseHiddenRun = async (
  db: Db,
  run: { organizationId: string; id: string },
  userId: string,
): Promise<void> => {
  if (await isRunHidden(db, run, userId)) throw noSuchRun(run.id)
}
