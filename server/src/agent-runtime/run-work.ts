import { leaseRuns } from '../features/agents/runs/lease-queries.ts'
import type { LeasedRun } from '../features/agents/runs/types.ts'
import type { LeasedWork } from '../shared/concurrency/leased-work.ts'
import { selectDueKeys } from '../storage/lease-queries.ts'
import { expireTasks } from './ask-person.ts'
import { isAwaited } from './plan-step.ts'
import { leaseSeconds, type RunLeases } from './run-leases.ts'
import { advanceRun } from './run-loop.ts'
import { RunState } from './run-state.ts'
import type { RuntimeDeps } from './runtime-deps.ts'

/** Prepares a run that was interrupted: its open calls begin again, and its late tasks expire. */
const takeUp = (state: RunState, lateTasks: readonly { id: string; operationId: string }[]): void => {
  if (state.operations.length === 0) state.note('run.started', 1)
  else state.note('run.resumed', Math.max(1, state.total.steps))
  for (const operation of state.operations)
    if (operation.status === 'running' && !isAwaited(operation))
      state.change(operation, { attempt: operation.attempt + 1 })
  if (lateTasks.length > 0) expireTasks(state, lateTasks)
}

const run = async (deps: RuntimeDeps, leases: RunLeases, leased: LeasedRun, stopping: AbortSignal): Promise<void> => {
  const { organization: organizationId, id, lease } = leased
  const { lost, release } = leases.keep({ organizationId, id, lease })
  try {
    const { definition, ...journal } = await deps.runs.read(leased)
    if (definition === null) {
      const ending = { state: 'failed', category: 'internal', reason: 'The version of its agent is gone.' } as const
      await deps.runs.end({ organizationId, id, lease, ending })
      return
    }
    const state = new RunState({ ...deps, db: deps.keyedDb }, leased, { ...journal, definition })
    takeUp(state, journal.lateTasks)
    await advanceRun({ deps, state, lost, stopping })
  } finally {
    release()
  }
}

/** Runs of agents as leased work: a node takes each as far as it goes. */
export const createRunWork = (
  deps: RuntimeDeps,
  leases: RunLeases,
  { node, organization }: { node: number; organization: number },
): LeasedWork<LeasedRun, never> => ({
  name: 'run agents',
  maxTurns: node,
  maxTurnsOfOrganization: organization,
  leaseSeconds,
  maxKeys: 200,
  topic: 'runs:',
  lease: (request) => leaseRuns(deps.keyedDb, request),
  run: async (leased, { stopping }) => {
    await run(deps, leases, leased, stopping)
    return false
  },
  storeOutcomes: async () => [],
  dueKeys: (page) => selectDueKeys({ table: 'runs', key: 'organization_id' }, page),
})
