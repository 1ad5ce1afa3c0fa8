import type { Clock } from '../../../shared/clock.ts'
import { brainTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { deleteOrphanedApps } from '../../accounts/apps/app-queries.ts'
import { endRunsOfOrganization } from '../../agents/run-keeping/run-keeping.ts'
import type { RunStore } from '../../agents/runs/run-store.ts'
import { eraseSomeObjects } from '../../files/artifacts/erase-bodies.ts'
import type { ObjectStore } from '../../files/artifacts/object-store.ts'
import { deleteBrainByHandle } from '../../kernel/brains/brains.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import type { Erase, ErasureTurn } from '../erasures/erasures.ts'
import {
  deleteDeliveries,
  deleteErasedBrains,
  deleteOrganizationRow,
  deleteRows,
  hasUnerasedBrains,
  selectLiveHandles,
} from './erasing-queries.ts'

// Erases an ended organization in this order: its runs end, its Brains are deleted and erased like other deleted Brains, the bytes of
// its files are erased in their store, then its own tables are emptied, a few thousand rows at a time. Each step looks at what exists, so it may start again anywhere, and also
// removes things made by a call that was in progress when the organization ended.

type Deps = {
  db: Db
  clock: Clock
  objects: ObjectStore
  brainLocks: BrainLocks
  topics: Pick<Topics, 'publish'>
  runs: Pick<RunStore, 'end'>
}

/** The tables of an organization, with the column that names it. Deliveries are those of its webhooks. */
export const organizationTables: readonly { table: string; column: string }[] = [
  ...[
    ...[
      'run_parts',
      'run_messages',
      'run_operations',
      'run_tasks',
      'run_claims',
      'run_days',
      'run_flows',
      'run_quarters',
      'runs',
    ],
    // Results after their runs: none is stored for a run that is gone.
    ...['eval_runs', 'eval_results', 'eval_cases', 'eval_versions', 'evals', 'rubrics'],
    ...['goals', 'goal_attempts'],
    ...['distillations', 'distillation_items', 'distillation_runs'],
    ...['run_shares', 'tool_schemas', 'corpora', 'packs'],
    ...['schedules', 'conversations', 'agent_versions', 'agents', 'projects', 'connectors', 'providers'],
    ...['organization_webhooks', 'outbox', 'organization_schemas', 'management_keys', 'mail_outbox', 'audit_entries'],
    // Chunks after their bodies: no chunk is added to a body that is gone.
    ...['artifact_claims', 'artifact_versions', 'artifacts', 'artifact_bodies', 'artifact_chunks', 'artifact_usage'],
    ...['notification_marks', 'notification_readers', 'notifications'],
  ].map((table) => ({ table, column: 'organization_id' })),
  ...['invitation', 'member'].map((table) => ({ table, column: 'organizationId' })),
]

const rowsAtOnce = 2_000
const brainsAtOnce = 50

/** Repeats what deletes some rows until none are left. False where the turn is over before. */
const repeat = async (turn: ErasureTurn, deleteSome: () => Promise<number>): Promise<boolean> => {
  while ((await deleteSome()) === rowsAtOnce) if (turn.stopping.aborted || !(await turn.renew())) return false
  return true
}

const by = { type: 'system', id: 'erasing' } as const

/** Deletes the Brains of an organization. False where the turn is over before. */
const deleteBrains = async (deps: Deps, organizationId: string, turn: ErasureTurn): Promise<boolean> => {
  for (;;) {
    if (turn.stopping.aborted || !(await turn.renew())) return false
    const handles = await selectLiveHandles(deps.db, organizationId, brainsAtOnce)
    if (handles.length === 0) return true
    for (const handle of handles)
      try {
        const { brainId } = await deleteBrainByHandle(deps, { organizationId, handle, by, withOrganization: true })
        deps.topics.publish(brainTopic(brainId))
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind !== 'not_found') throw error
      }
  }
}

/** Erases the bytes of files in the store of objects. False where the turn is over before, or an upload has not ended yet. */
const eraseObjects = async (deps: Deps, organizationId: string, turn: ErasureTurn): Promise<boolean> => {
  for (;;) {
    if (turn.stopping.aborted || !(await turn.renew())) return false
    const { erased, hasMore } = await eraseSomeObjects(deps, organizationId)
    if (!hasMore) return true
    if (erased === 0) return false
  }
}

const emptyTables = async ({ db }: Deps, organizationId: string, turn: ErasureTurn): Promise<boolean> => {
  const given = { organizationId, limit: rowsAtOnce }
  if (!(await repeat(turn, () => deleteDeliveries(db, organizationId, rowsAtOnce)))) return false
  for (const table of organizationTables) if (!(await repeat(turn, () => deleteRows(db, table, given)))) return false
  return true
}

/** Erases an organization that has ended. */
export const createOrganizationErasing =
  (deps: Deps): Erase =>
  async ({ subject: organizationId }, turn) => {
    if (!(await endRunsOfOrganization(deps, organizationId, turn))) return false
    if (!(await deleteBrains(deps, organizationId, turn))) return false
    if (await hasUnerasedBrains(deps.db, organizationId)) return false
    if (!(await eraseObjects(deps, organizationId, turn))) return false
    if (!(await emptyTables(deps, organizationId, turn))) return false
    await deleteErasedBrains(deps.db, organizationId)
    await deleteOrphanedApps(deps.db)
    await deleteOrganizationRow(deps.db, organizationId)
    return true
  }
