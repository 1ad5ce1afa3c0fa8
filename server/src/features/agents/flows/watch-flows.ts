import type { Clock } from '../../../shared/clock.ts'
import type { LeasedWork } from '../../../shared/concurrency/leased-work.ts'
import { organizationTopic, runTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import type { Db } from '../../../storage/database.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import type { RunStore } from '../runs/run-store.ts'
import {
  deleteFlow,
  endWaits,
  hasExpired,
  type LeasedFlow,
  leaseFlows,
  lockFlow,
  scheduleFlow,
  storeNothing,
  touchFlow,
} from './flow-queries.ts'
import { storeInFlow, toWaitParts } from './steps.ts'

// Ends sleeps, questions that no one answered in time, and runs that no one continues. All that a turn does commits together under
// the lock of the run's row, so one that a crash cuts off is repeated whole.

type Deps = { db: Db; clock: Clock; topics: Pick<Topics, 'publish'>; runs: Pick<RunStore, 'end' | 'report'> }

type Seen = { hasExpired: boolean; endedIds: string[] }

/** Looks at a run: whether it has expired, and the operations that ended. */
const look = (deps: Deps, { organization: organizationId, id }: LeasedFlow): Promise<Seen> =>
  deps.db.transaction().execute(async (tx) => {
    const key = { organizationId, id }
    const flow = await lockFlow(tx, key)
    if (!flow?.isOpen) {
      await deleteFlow(tx, key)
      return { hasExpired: false, endedIds: [] }
    }
    const now = deps.clock.now()
    const ended = await endWaits(tx, key, now)
    if (ended.length > 0) {
      await storeInFlow(tx, key, { parts: toWaitParts(ended, 'expired') }, now)
      await touchFlow(tx, key, now)
    }
    const isOver = await hasExpired(tx, key, now)
    if (!isOver) await scheduleFlow(tx, key, now)
    return { hasExpired: isOver, endedIds: ended.map((one) => one.id) }
  })

const ending = { state: 'abandoned', reason: 'No one continued it in time.' } as const

/** Runs of callers' own steps as leased work. */
export const createFlowWork = (deps: Deps): LeasedWork<LeasedFlow, never> => ({
  name: 'watch flows',
  maxTurns: 8,
  maxTurnsOfOrganization: 4,
  leaseSeconds: 30,
  maxKeys: 200,
  topic: 'flows:',
  isLocal: true,
  lease: (request) => leaseFlows(deps.db, request),
  run: async (flow) => {
    const { organization: organizationId, id } = flow
    // A step that is stored between the two makes it no younger: its caller learns that the run has ended.
    const seen = await look(deps, flow)
    deps.runs.report({ organizationId, runId: id, operationIds: seen.endedIds, isRunOver: false })
    if (seen.hasExpired) await deps.runs.end({ organizationId, id, ending })
    deps.topics.publish(runTopic(id))
    deps.topics.publish(organizationTopic(organizationId))
    return false
  },
  storeOutcomes: storeNothing,
  dueKeys: (page) => selectDueKeys({ table: 'run_flows', key: 'organization_id' }, page),
})
