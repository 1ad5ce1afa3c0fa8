import type { Clock } from '../../../shared/clock.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import { type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import type { StoredAnswer } from '../../platform/idempotency/idempotency.ts'
import {
  brainsWithDueChanges,
  brainsWithReleasedChanges,
  type StoredChange,
  selectBrainsWithDueChanges,
  selectDueChanges,
  selectHeldChanges,
} from '../commit/change-store.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { Commits } from '../commit/commit-engine.ts'
import { toAnswer, toRequest } from './decision-request.ts'
import { type Deciding, publishApproved } from './decisions.ts'

// Approved changes that are published without anyone asking at that moment: when their time has come, and when a hold that
// was in their way is released.

type Deps = { commitEngine: Commits; db: Db; clock: Clock; log: Log }

/** Changes of one turn, after which other Brains have theirs. */
const maxChanges = 50

type IsStillDue = (change: StoredChange, batch: CommitBatch) => boolean

/** Publishes a change if it is still to be. False where that is refused. */
const publishQuietly = async (deps: Deps, brainId: number, id: string, isStillDue: IsStillDue): Promise<boolean> => {
  const run = (deciding: Deciding): StoredAnswer => {
    const change = deciding.batch.change(id)
    return isStillDue(change, deciding.batch)
      ? toAnswer(publishApproved(deciding, change))
      : { outcome: 'done', data: '{}' }
  }
  try {
    const request = toRequest(id, {
      claim: undefined,
      caps: undefined,
      publishes: true,
      approves: false,
      edits: undefined,
      run,
    })
    await deps.commitEngine.submit(brainId, request)
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    deps.log.warn({ change: id, error: error.message }, 'a change could not be published')
    return false
  }
}

const publishDue = async (deps: Deps, brainId: number): Promise<BrainTurnEnd> => {
  const due = await selectDueChanges(deps.db, brainId, deps.clock.now(), maxChanges)
  let isAll = true
  for (const { id } of due) {
    if (!(await publishQuietly(deps, brainId, id, ({ application }) => application === 'scheduled'))) isAll = false
  }
  if (!isAll) return 'later'
  return due.length === maxChanges ? 'unfinished' : 'done'
}

/** Publishes what a hold had blocked, once it is released. False where some of it is refused. */
export const publishHeldChanges = async (deps: Deps, brainId: number): Promise<boolean> => {
  let isAll = true
  for (const { id } of await selectHeldChanges(deps.db, brainId)) {
    const isReleased: IsStillDue = ({ blockedBy }, { brain }) => blockedBy === 'held' && brain.availability === 'active'
    if (!(await publishQuietly(deps, brainId, id, isReleased))) isAll = false
  }
  return isAll
}

/** Publishes the scheduled changes whose time has come. */
export const createScheduledPublishing = (deps: Deps) =>
  createBrainWork(deps, {
    name: 'publish scheduled changes',
    ...{ work: 'publish', maxTurns: 4, leaseSeconds: 15 },
    behind: brainsWithDueChanges,
    dueKeys: selectBrainsWithDueChanges,
    run: (brainId) => publishDue(deps, brainId),
  })

/** Publishes what a release left over because its node went away before it was done. */
export const createReleasedPublishing = (deps: Deps) =>
  createBrainWork(deps, {
    name: 'publish what holds had blocked',
    ...{ work: 'publish released', maxTurns: 2, leaseSeconds: 15, everySeconds: 5 },
    behind: brainsWithReleasedChanges,
    run: async (brainId) => ((await publishHeldChanges(deps, brainId)) ? 'done' : 'later'),
  })
