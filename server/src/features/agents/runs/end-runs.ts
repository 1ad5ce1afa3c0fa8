import type { Clock } from '../../../shared/clock.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { toEndingParts, toTaskPart } from '../parts/run-parts.ts'
import {
  addUseToParents,
  type LockedRun,
  lockChildren,
  lockRuns,
  notifyParents,
  selectOpenTasks,
  startNextRuns,
} from './ending-queries.ts'
import { type Settlement, type Stored, storeRunOutcomes, wakeRun } from './outcome-queries.ts'
import { toStatus } from './run-view.ts'
import type { Ending, RunKey } from './types.ts'

// The one way in which a run ends. Every cause (a complete answer, a failure, a limit, a person who cancels) locks its row
// first; the first one ends it, and the others find it ended.

/**
 * The end of a run: under a lease, if it is passed, and with the changes that are not stored yet. A run is `alone` if no run waits
 * for it, none that it started goes on, none follows it in a conversation, and it asks no one. `erase` is called with the run and
 * those that end with it, before the runs that wait for them go on.
 */
export type RunEnd = RunKey & {
  ending: Ending
  lease?: string
  settlement?: Settlement
  alone?: { hasSteps: boolean }
  erase?: (tx: Tx, runs: readonly RunKey[]) => Promise<unknown>
}

/** The notifications to send after the commit. */
export type News = {
  /** The runs that ended, by their ids. */
  ended: Map<string, RunEnd>
  /** The goals that some of them concern, by the ids of the runs. */
  goals: Map<string, string>
  /** Organizations with runs that are due, and with events for webhooks. */
  due: Set<string>
  reported: Set<string>
}

const noUse = { inputTokens: 0, outputTokens: 0, costNanodollars: 0, isCostKnown: true, steps: 0 }

const toNothing = ({ organizationId, id }: RunKey, now: Date): Settlement => ({
  run: { organizationId, id, lease: '' },
  ...{
    now,
    used: noUse,
    nextSequence: 0,
    begun: [],
    changed: [],
    messages: [],
    tasks: [],
    expiredTasks: [],
    parts: [],
  },
})

/** Abandons the open operations of a run that ends. */
const abandonOpen = (operations: Settlement['begun'], now: Date): Settlement['begun'] =>
  operations.map((operation) =>
    operation.status === 'running' ? { ...operation, status: 'abandoned', completedAt: now.toISOString() } : operation,
  )

type OpenTask = Awaited<ReturnType<typeof selectOpenTasks>>[number]

/** The questions of a run that no one will answer, but for those whose expiry was streamed before. */
const toUnansweredParts = ({ id, settlement }: RunEnd, open: readonly OpenTask[]) => {
  const left = open.filter(({ runId, taskId }) => runId === id && !settlement?.expiredTasks.includes(taskId))
  const asked = (settlement?.tasks ?? []).map((task) => ({ taskId: task.id, operationId: task.operationId }))
  return [...left, ...asked].map(({ taskId, operationId }) => toTaskPart({ taskId, operationId, state: 'expired' }))
}

/** The end of a run, with its last changes and the last parts of its stream. `open`: its open questions. */
const toStored = (
  end: RunEnd,
  { hasSteps, open, now }: { hasSteps: boolean; open: readonly OpenTask[]; now: Date },
): Stored => {
  const { ending } = end
  const { parts, begun, changed, ...settlement } = end.settlement ?? toNothing(end, now)
  const lastParts = [...toUnansweredParts(end, open), ...toEndingParts(ending, hasSteps)].map((part) => ({
    operationId: null,
    part: JSON.stringify(part),
  }))
  return {
    ...settlement,
    now,
    begun: abandonOpen(begun, now),
    changed: abandonOpen(changed, now),
    parts: [...parts, ...lastParts],
    ending: {
      ...{ state: ending.state, status: toStatus(ending.state) },
      output: ending.state === 'completed' ? (ending.output ?? null) : null,
      failureReason: ending.state === 'failed' ? ending.reason : null,
      failureCategory: ending.state === 'failed' ? ending.category : null,
      abandonReason: ending.state === 'abandoned' ? ending.reason : null,
    },
  }
}

const orphaned: Ending = { state: 'abandoned', reason: 'The run that started this one has ended.' }

/** Locks all open runs that these have started, at any depth. */
const lockDescendants = async (tx: Tx, ended: readonly RunKey[]): Promise<LockedRun[]> => {
  const found: LockedRun[] = []
  for (let parents = ended; parents.length > 0; ) {
    const children = await lockChildren(tx, parents)
    found.push(...children)
    parents = children
  }
  return found
}

/** A run with all that it started, parents first. */
const toFamily = (run: LockedRun, descendants: readonly LockedRun[]): LockedRun[] => {
  const family = [run]
  for (const one of descendants) if (family.some(({ id }) => id === one.parentRunId)) family.push(one)
  return family
}

/** The ends that take effect: of open runs that have the lease, one for each run. */
const chooseEnds = (ends: readonly RunEnd[], locked: readonly LockedRun[]) => {
  const chosen = new Map<string, { end: RunEnd; locked: LockedRun }>()
  for (const end of ends) {
    const row = locked.find(({ id }) => id === end.id)
    if (row && !chosen.has(end.id) && (end.lease === undefined || end.lease === row.lease))
      chosen.set(end.id, { end, locked: row })
  }
  return [...chosen.values()]
}

/** Adds what runs used to the runs that started them and ended with them, the deepest first: so that each has all below it. */
const addUse = async (tx: Tx, ended: readonly LockedRun[], news: News): Promise<void> => {
  const children = ended.filter(({ id, parentRunId }) => news.ended.has(id) && news.ended.has(parentRunId ?? ''))
  const depths = [...new Set(children.map(({ depth }) => depth))].sort((one, other) => other - one)
  for (const level of depths)
    await addUseToParents(
      tx,
      children.filter(({ depth }) => depth === level),
    )
}

/** Continues the runs that waited for those that ended: their parents, and the next of their conversations. */
const wakeOthers = async (tx: Tx, ended: readonly LockedRun[], now: Date, news: News): Promise<void> => {
  const children = ended.filter(({ parentRunId }) => parentRunId !== null && !news.ended.has(parentRunId))
  if (children.length > 0)
    for (const parent of await notifyParents(tx, children, now)) {
      if (parent.isReported) news.reported.add(parent.organizationId)
      if ((await wakeRun(tx, parent, now)).isDue) news.due.add(parent.organizationId)
    }
  const conversations = ended.flatMap(({ organizationId, conversationId }) =>
    conversationId === null ? [] : { organizationId, conversationId },
  )
  if (conversations.length === 0) return
  await startNextRuns(tx, conversations, now)
  for (const { organizationId } of conversations) news.due.add(organizationId)
}

/** An end, and its changes. */
type StoredEnd = { end: RunEnd; stored: Stored }

const endStored = async (tx: Tx | Db, all: readonly StoredEnd[]): Promise<News> => {
  const news: News = { ended: new Map(), goals: new Map(), due: new Set(), reported: new Set() }
  const settled = await storeRunOutcomes(
    tx,
    all.map(({ stored }) => stored),
  )
  for (const { end } of all) {
    const one = settled.get(end.id)
    if (one) news.ended.set(end.id, end)
    if (one?.goalId) news.goals.set(end.id, one.goalId)
    if (one?.isReported) news.reported.add(end.organizationId)
  }
  return news
}

/** Ends runs under the locks of their rows, with their children and what waits for them. */
const endLocked = async (tx: Tx, ends: readonly RunEnd[], now: Date): Promise<News> => {
  const chosen = chooseEnds(ends, await lockRuns(tx, ends))
  if (chosen.length === 0) return { ended: new Map(), goals: new Map(), due: new Set(), reported: new Set() }
  const runs = chosen.map(({ locked }) => locked)
  const descendants = await lockDescendants(tx, runs)
  const open = await selectOpenTasks(tx, [...runs, ...descendants])
  const store = (end: RunEnd, { steps }: LockedRun): StoredEnd => {
    const hasSteps = steps + (end.settlement?.used.steps ?? 0) > 0
    return { end, stored: { ...toStored(end, { hasSteps, open, now }), isLocked: true } }
  }
  const news = await endStored(tx, [
    ...chosen.map(({ end, locked }) => store(end, locked)),
    ...descendants.map((run) => store({ organizationId: run.organizationId, id: run.id, ending: orphaned }, run)),
  ])
  await addUse(tx, [...runs, ...descendants], news)
  for (const { end, locked } of chosen) await end.erase?.(tx, toFamily(locked, descendants))
  await wakeOthers(tx, runs, now, news)
  return news
}

/**
 * Ends runs, in one transaction with their last changes, their children and the events about them. Runs that are alone end under
 * their leases, by one statement.
 */
export const endRuns = async (db: Db, ends: readonly RunEnd[], clock: Clock): Promise<News> => {
  const alone = ends.flatMap((end) =>
    end.alone && end.settlement
      ? { end, stored: toStored(end, { ...end.alone, open: [], now: end.settlement.now }) }
      : [],
  )
  const isEachOnce = new Set(ends.map(({ id }) => id)).size === ends.length
  return alone.length === ends.length && isEachOnce
    ? endStored(db, alone)
    : db.transaction().execute((tx) => endLocked(tx, ends, clock.now()))
}
