import type { InputMessage } from '@noema/contracts/messages.ts'
import type { createChatCompletion } from '@noema/contracts/openai-chat.ts'
import type { AppDeps } from '../api/app-deps.ts'
import { type Call, clientGone } from '../api/binding.ts'
import { movePaths } from '../api/errors.ts'
import { refuseHiddenRun } from '../api/hidden-items.ts'
import { findAgentModel } from '../features/agents/agents/models.ts'
import { awaitEnd, cancelRun } from '../features/agents/runs/runs.ts'
import { startRun } from '../features/agents/runs/start-run.ts'
import type { RunRow } from '../features/agents/runs/types.ts'
import { ApiError, unauthorized, validation } from '../shared/errors.ts'

// A call is a run. While its caller is there, the call holds one of the slots of event streams. A caller that goes away cancels
// the run, unless it may come back for it: in the background, or with an idempotency key.

/** A call that begins a run, of either endpoint. */
export type PostCall = Pick<
  Call<typeof createChatCompletion>,
  'principal' | 'idempotencyKey' | 'wait' | 'traceparent' | 'isStillAllowed'
>

/** The run that a call asks for. `isDetached`: it goes on without its caller. */
export type AskedRun = {
  model: string
  input: readonly InputMessage[]
  metadata: { [name: string]: unknown } | null | undefined
  conversationId?: string | undefined
  /** The public ids of Brains whose content is in the input. */
  seenBrains?: readonly string[] | undefined
  isDetached?: boolean
}

/** A run that began, with its caller. `finish` ends the call: it returns the slot, and keeps the run from being cancelled. */
export type BegunRun = { run: RunRow; isNew: boolean; signal: AbortSignal; finish(): void }

/** A call that is not streamed waits for this long: longer than agents work by default. */
const maxWaitSeconds = 615

const argumentNames: Record<string, string> = { agentId: 'model', conversationId: 'conversation' }

/** A refusal to start a run, about the arguments of this call. */
const renameArguments = (error: unknown): unknown =>
  error instanceof ApiError
    ? movePaths(error, ([name, ...rest]) => [argumentNames[String(name)] ?? name ?? '', ...rest])
    : error

const start = async (deps: AppDeps, call: PostCall, asked: AskedRun) => {
  const { model, input, metadata, conversationId, seenBrains } = asked
  const { principal, idempotencyKey, traceparent } = call
  const organizationId = principal.organization.id
  const { agentId } = await findAgentModel(deps, { organizationId, viewer: principal.viewer }, model, ['model'])
  const request = { organizationId, actor: principal.actor, agentId, input: [...input], idempotencyKey, traceparent }
  return startRun(deps, { ...request, metadata: metadata ?? undefined, conversationId, seenBrains })
}

/** Cancels a run that no one waits for any more. */
const abandon = (deps: AppDeps, run: RunRow): void => {
  cancelRun(deps, run, 'The caller went away.').catch((error: unknown) => {
    if (!(error instanceof ApiError)) deps.log.warn({ err: error, runId: run.id }, 'a run could not be cancelled')
  })
}

/** Starts a run without waiting for it. */
export const startDetached = async (deps: AppDeps, call: PostCall, asked: AskedRun): Promise<RunRow> => {
  const { run, isReplay } = await start(deps, call, asked).catch((error) => Promise.reject(renameArguments(error)))
  if (isReplay) await refuseHiddenRun(deps.db, run, call.principal.userId)
  return run
}

/** Starts the run of a call that waits for its end: for a while, or with `isStreamed` until the end. */
export const beginRun = async (
  deps: AppDeps,
  call: PostCall,
  { isStreamed, ...asked }: AskedRun & { isStreamed: boolean },
): Promise<BegunRun> => {
  const waiting = call.wait?.begin(isStreamed ? undefined : maxWaitSeconds)
  if (!waiting) throw validation('This call waits for its run, which only calls over HTTP can do.')
  const { signal } = waiting
  try {
    const { run, isReplay } = await start(deps, call, asked)
    const mayReturn = asked.isDetached === true || call.idempotencyKey !== undefined
    let isFinished = false
    const onAbort = (): void => {
      waiting.end()
      if (!isFinished && !mayReturn && signal.reason === clientGone) abandon(deps, run)
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    const finish = () => {
      isFinished = true
      waiting.end()
    }
    return { run, isNew: !isReplay, signal, finish }
  } catch (error) {
    waiting.end()
    throw renameArguments(error)
  }
}

/** Waits for the end of a run, and returns the run as it is then. */
export const awaitRun = async (
  deps: AppDeps,
  { principal, isStillAllowed }: Pick<PostCall, 'principal' | 'isStillAllowed'>,
  { run, isNew, signal, finish }: BegunRun,
): Promise<RunRow> => {
  try {
    const ended = await awaitEnd(deps, run, { signal, isNew })
    if ((await isStillAllowed()) === false) throw unauthorized('This key was revoked while the run went on.')
    await refuseHiddenRun(deps.db, ended, principal.userId)
    return ended
  } finally {
    finish()
  }
}
