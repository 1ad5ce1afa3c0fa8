import type { BodyOutput, QueryOutput } from '@noema/contracts/endpoint.ts'
import type { applySnapshot, getSnapshot, listSnapshots } from '@noema/contracts/snapshots.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { brainList } from '../../kernel/brains/brains.ts'
import { readVersionPage } from '../../kernel/state-reads/state-reads.ts'
import { readListPage } from '../../platform/cursors/cursors.ts'
import { toClaim } from '../../platform/idempotency/idempotency.ts'
import type { Submitter } from '../commit/apply-or-stage.ts'
import type { Commits } from '../commit/commit-engine.ts'
import { findRefusedCredentials } from '../credentials/credentials.ts'
import { applySubmission, stalePlan } from './apply-snapshot.ts'
import { type Body, noSuchSnapshot, planSubmission, toRequest } from './plan-snapshot.ts'
import { itemsAfter, selectSnapshot, selectSnapshotsAfter } from './queries.ts'
import { toView } from './snapshot-view.ts'

// A snapshot is the content of a source at one moment: a folder, a wiki. It is planned against the served documents, reviewed,
// and then applied as one change (D-60). Both go through the commit engine, so that a plan is made from, and applied to, a Brain
// that no one else moves meanwhile.

type Deps = { db: Db; commitEngine: Commits }
type Key = { idempotencyKey: string | undefined }

/** Plans what a source's documents become: opens a snapshot, adds to one, or completes it. */
export const planSource = async (
  deps: Deps,
  submitter: Submitter,
  brainId: number,
  { source, body, asked, idempotencyKey }: Key & { source: string; body: Body; asked: unknown },
) => {
  const claim = toClaim(submitter.actor.id, idempotencyKey, ['snapshot.plan', source, asked])
  const { refusesCredentials } = deps.commitEngine
  const values = refusesCredentials ? body.items.map((value, index) => ({ at: ['items', index], value })) : []
  const refusal = refusesCredentials && (await findRefusedCredentials(values))
  if (refusal) throw refusal
  return deps.commitEngine.submit(brainId, planSubmission(submitter, toRequest(source, body), claim))
}

/** Applies a plan as one change. Throws `stale_plan` where it is not the plan that holds; that one is then kept. */
export const applyPlan = async (
  deps: Deps,
  submitter: Submitter,
  brainId: number,
  {
    idempotencyKey,
    body,
    ...place
  }: Key & { source: string; snapshot: string; body: BodyOutput<typeof applySnapshot> },
) => {
  const request = { ...place, planRevision: body.planRevision, allowRetire: body.allowRetire }
  const claim = toClaim(submitter.actor.id, idempotencyKey, ['snapshot.apply', request])
  const settled = await deps.commitEngine.submit(brainId, applySubmission(submitter, request, claim))
  // The new plan was committed, so the refusal comes back as an answer.
  if (settled.answer.outcome === 'refused') throw stalePlan(JSON.parse(settled.answer.data))
  return settled
}

type Place = { source: string; snapshot: string }

/** A snapshot with a page of its plan, as the JSON text of `data`: both of one moment. */
export const readSnapshot = (
  deps: Deps,
  brain: BrainRow,
  { source, snapshot }: Place,
  query: QueryOutput<typeof getSnapshot>,
): Promise<string> =>
  deps.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const row = await selectSnapshot(tx, brain.brainId, source, snapshot)
      if (!row) throw noSuchSnapshot(source, snapshot)
      const list = { list: `snapshot-items:${row.id}`, name: 'items', start: '' } as const
      const page = await readVersionPage(tx, brain, list, query, (requested) =>
        itemsAfter(brain.brainId, row.id, query.op, requested),
      )
      return `{"snapshot":${JSON.stringify(toView(row))},${page.slice(1)}`
    })

/** A page of a source's snapshots. */
export const listSnapshotPage = async (
  deps: Deps,
  brain: BrainRow,
  source: string,
  query: QueryOutput<typeof listSnapshots>,
) => {
  const list = brainList(deps.db, brain, { list: `snapshots:${source}`, start: '' })
  const { items, ...page } = await readListPage(
    list,
    query,
    (requested) => selectSnapshotsAfter(deps.db, brain.brainId, source, requested),
    ({ id }) => id,
  )
  return { snapshots: items.map(toView), ...page, stateVersion: brain.stateVersion }
}
