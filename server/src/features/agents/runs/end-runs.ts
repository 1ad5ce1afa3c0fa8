import type { Tx } from '../../../storage/database.ts'
import { toEndingParts } from '../parts/parts.ts'
import {
  type EndedRow,
  endRows,
  type LockedRun,
  lockChildren,
  lockRuns,
  startNextRuns,
  tellParents,
} from './ending-queries.ts'
import { toStatus } from './run-view.ts'
import { type Settlement, settleRuns, wakeRun } from './settle-queries.ts'
import type { Ending, RunPlace } from './types.ts'

// The one way in which a run ends. Whatever ends it (an answer that is complete, a failure, a limit, somebody who cancels)
// locks its row first; the first one ends it, and the others find it ended.

/** An end of a run. With a lease, only while that stands; with what its turn did until then. */
export type RunEnd = RunPlace & { ending: Ending; lease?: string; settlement?: Settlement }

/** What others are to be told of when the transaction is through. */
export type News = {
  /** The runs that ended, with their organizations. */
  ended: Map<string, string>
  /** Organizations with runs that are due, and with events to be told. */
  due: Set<string>
  told: Set<string>
}

const toRow = ({ organizationId, id, ending }: RunEnd, hasSteps: boolean): EndedRow => ({
  ...{ organizationId, id, state: ending.state, status: toStatus(ending.state) },
  output: ending.state === 'completed' ? (ending.output ?? null) : null,
  failureReason: ending.state === 'failed' ? ending.reason : null,
  failureCategory: ending.state === 'failed' ? ending.category : null,
  abandonReason: ending.state === 'abandoned' ? ending.reason : null,
  parts: toEndingParts(ending, hasSteps).map((part) => JSON.stringify(part)),
})

const orphaned: Ending = { state: 'abandoned', reason: 'The run that started this one has ended.' }

/** All runs that these have started, at whatever depth, that go on; each is locked. */
const lockDescendants = async (tx: Tx, ended: readonly RunPlace[]): Promise<LockedRun[]> => {
  const found: LockedRun[] = []
  for (let parents = ended; parents.length > 0; ) {
    const children = await lockChildren(tx, parents)
    found.push(...children)
    parents = children
  }
  return found
}

/** Those ends that come about: of runs that go on, while the lease stands, one of each run. */
const chooseEnds = (ends: readonly RunEnd[], locked: readonly LockedRun[]) => {
  const chosen = new Map<string, RunEnd & { locked: LockedRun }>()
  for (const end of ends) {
    const row = locked.find(({ id }) => id === end.id)
    if (row && !chosen.has(end.id) && (end.lease === undefined || end.lease === row.lease))
      chosen.set(end.id, { ...end, locked: row })
  }
  return [...chosen.values()]
}

/** What follows for the runs that wait for those that ended: their parents, and the next of their conversations. */
const wakeOthers = async (tx: Tx, ended: readonly LockedRun[], now: Date, news: News): Promise<void> => {
  const children = ended.filter(({ parentRunId }) => parentRunId !== null && !news.ended.has(parentRunId))
  if (children.length > 0)
    for (const parent of await tellParents(tx, children, now)) {
      if (parent.isTold) news.told.add(parent.organizationId)
      if ((await wakeRun(tx, parent, now)).isDue) news.due.add(parent.organizationId)
    }
  const conversations = ended.flatMap(({ organizationId, conversationId }) =>
    conversationId === null ? [] : { organizationId, conversationId },
  )
  if (conversations.length === 0) return
  await startNextRuns(tx, conversations, now)
  for (const { organizationId } of conversations) news.due.add(organizationId)
}

/** Ends runs, in one transaction with what their turns did last, their children and what is told of them. */
export const endRuns = async (tx: Tx, ends: readonly RunEnd[], now: Date): Promise<News> => {
  const news: News = { ended: new Map(), due: new Set(), told: new Set() }
  const chosen = chooseEnds(ends, await lockRuns(tx, ends))
  if (chosen.length === 0) return news
  const settlements = chosen.flatMap(({ settlement }) => settlement ?? [])
  const settled = settlements.length > 0 ? await settleRuns(tx, settlements) : new Map<string, { isTold: boolean }>()
  const descendants = await lockDescendants(tx, chosen)
  const rows = [
    ...chosen.map((end) => toRow(end, end.locked.steps + (end.settlement?.used.steps ?? 0) > 0)),
    ...descendants.map((run) => toRow({ ...run, lease: '', ending: orphaned }, run.steps > 0)),
  ]
  const told = await endRows(tx, rows, now)
  for (const { organizationId, id } of rows) {
    news.ended.set(id, organizationId)
    if (told.get(id) || settled.get(id)?.isTold) news.told.add(organizationId)
  }
  await wakeOthers(
    tx,
    chosen.map(({ locked }) => locked),
    now,
    news,
  )
  return news
}
