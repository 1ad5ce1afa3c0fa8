import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { type finishFlow, flowAgentId, type startFlow } from '@noema/contracts/flows.ts'
import type { Run } from '@noema/contracts/runs.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, unknownReference } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { selectIdsByHandles } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import { toOpeningParts } from '../parts/run-parts.ts'
import { findDefaultProject } from '../projects/projects.ts'
import type { RunStore } from '../runs/run-store.ts'
import { runView } from '../runs/run-view.ts'
import { findRun } from '../runs/runs.ts'
import { startRun } from '../runs/start-run.ts'
import type { Ending, RunKey } from '../runs/types.ts'
import { beginFlow, deleteFlow } from './flow-queries.ts'
import { refuseAgentRun, storeInFlow } from './steps.ts'

// Runs without an agent: the caller's own code takes their steps and stores each once.

type StartDeps = Parameters<typeof startRun>[0] & { db: Db }
type Starting = {
  organizationId: string
  actor: Actor
  viewer: Viewer
  idempotencyKey: string | undefined
  traceparent: string | undefined
}

/** The ids of the Brains that a caller names by their handles, as far as they are open to them. */
const findBrains = async (
  db: Db,
  { organizationId, viewer }: Starting,
  handles: readonly string[],
): Promise<string[]> => {
  const ids = await selectIdsByHandles(db, organizationId, [...handles], viewer)
  return handles.map((handle, index) => {
    const id = ids.get(handle)
    if (id === undefined) throw unknownReference(['brains', index], noSuchBrain(handle).message)
    return id
  })
}

/** A stand-in for the agent of such runs, which reaches nothing. */
const toStandIn = (projectId: string) => ({
  ...{ id: flowAgentId, projectId, version: 1, isArchived: false },
  definition: {
    ...{ name: flowAgentId, instructions: '', model: '', brains: [], tools: [] },
    limits: { maxSteps: 1, timeoutSeconds: 1 },
  },
})

/** Starts a run of the caller's own steps, or returns the one that its key and name have. */
export const beginRunOfSteps = async (
  deps: StartDeps,
  starting: Starting,
  { name, input = null, brains, metadata, expiresInSeconds }: BodyOutput<typeof startFlow>,
): Promise<{ run: Run; isReplay: boolean }> => {
  const { organizationId, actor, idempotencyKey, traceparent } = starting
  const seenBrains = await findBrains(deps.db, starting, brains)
  const projectId = await findDefaultProject(deps.db, organizationId)
  const begin = async (tx: Tx, { id, createdAt: now }: { id: string; createdAt: Date }): Promise<void> => {
    await beginFlow(tx, { organizationId, id, name, expiresSeconds: expiresInSeconds, now })
    await storeInFlow(tx, { organizationId, id }, { parts: toOpeningParts(id, 1) }, now)
  }
  const { run, isReplay } = await startRun(deps, {
    ...{ organizationId, actor, agentId: flowAgentId, projectId, idempotencyKey, traceparent, metadata, seenBrains },
    // Also what a repeat has to say again.
    input: JSON.stringify([name, input]),
    flow: { name, input, agent: toStandIn(projectId), begin },
  })
  return { run: runView(await findRun(deps, { organizationId, id: run.id })), isReplay }
}

const toEnding = ({ output = null, error }: NonNullable<BodyOutput<typeof finishFlow>>): Ending =>
  error === undefined ? { state: 'completed', output } : { state: 'failed', category: 'tool', reason: error }

/** Ends a run of the caller's own steps; one that has ended this way before stays as it is. */
export const finishRunOfSteps = async (
  deps: { db: Db; keyedDb: Db; clock: Clock; runs: Pick<RunStore, 'end'> },
  key: RunKey,
  given: BodyOutput<typeof finishFlow>,
): Promise<Run> => {
  refuseAgentRun(await findRun(deps, key))
  await deps.runs.end({ ...key, ending: toEnding(given ?? {}) })
  await deleteFlow(deps.db, key)
  const run = await findRun(deps, key)
  if (run.state === 'abandoned')
    throw conflict('This run was cancelled, or no one continued it in time.', { code: 'run_ended' })
  return runView(run)
}
