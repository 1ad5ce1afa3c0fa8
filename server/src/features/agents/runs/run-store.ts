import type { Clock } from '../../../shared/clock.ts'
import { type Batcher, createBatcher } from '../../../shared/concurrency/batcher.ts'
import { organizationTopic, runEndTopic, runsTopic, runTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import type { Measures } from '../../../shared/measures.ts'
import type { Db } from '../../../storage/database.ts'
import { wasRefused } from '../../../storage/database-errors.ts'
import { endRuns, type News, type RunEnd } from './end-runs.ts'
import { parkRun, type Settlement, storeRunOutcomes } from './outcome-queries.ts'
import { type Journal, selectJournals, selectRunsAt } from './run-queries.ts'
import { insertRuns, type NewRun, type Place, type Standing, selectStandings } from './start-queries.ts'
import type { HeldRun, LeasedRun, Operation, RunKey, RunRow, RunsNews } from './types.ts'

// Stores the runs of a node: the changes of many runs at one time are one statement.

type Deps = { db: Db; clock: Clock; topics: Pick<Topics, 'publish'>; measures: Pick<Measures, 'report'> }

export type RunStore = {
  /** Reads the limits and states that decide whether a run may start. */
  prepare(place: Place): Promise<Standing | undefined>
  /** Starts a run that needs no lock; undefined if its idempotency key belongs to another run. */
  start(run: NewRun): Promise<(RunRow & { isReported: boolean }) | undefined>
  /** Reads a run; undefined if there is none. */
  find(place: RunKey): Promise<RunRow | undefined>
  /** Reads the journal of a run. */
  read(run: LeasedRun): Promise<Journal>
  /** Stores the changes of a run; false, and nothing is stored, if the run has lost its lease. */
  storeOutcome(settlement: Settlement): Promise<boolean>
  /** Lets a run wait for its open operations. */
  park(run: HeldRun): Promise<void>
  /** Ends a run. False if it has ended already, or lost the lease that was passed. */
  end(end: RunEnd): Promise<boolean>
  /** Notifies the listeners of what ended in another transaction than one of this store, after its commit. */
  report(news: RunsNews): void
  /** Calls back after this node has stored the end of operations or runs. */
  listen(listener: Listener): void
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

type Listener = (news: RunsNews) => void

const listEnded = (settlement: Settlement | undefined): string[] =>
  [...(settlement?.begun ?? []), ...(settlement?.changed ?? [])].filter(hasEnded).map(({ id }) => id)

const toNews = (
  { organizationId, id }: RunKey,
  operationIds: string[],
  isRunOver: boolean,
  goalId?: string,
): RunsNews => ({
  organizationId,
  runId: id,
  operationIds,
  isRunOver,
  ...(goalId === undefined ? {} : { goalId }),
})

const hasEnded = ({ status, type }: Operation): boolean => status !== 'running' && type !== 'system_action'

/** Measures the tokens and costs of a settlement. */
const measureUse = ({ measures }: Deps, { used }: Pick<Settlement, 'used'>): void => {
  if (used.inputTokens > 0) measures.report('noema_model_tokens_total', used.inputTokens, { kind: 'input' })
  if (used.outputTokens > 0) measures.report('noema_model_tokens_total', used.outputTokens, { kind: 'output' })
  if (used.costNanodollars > 0) measures.report('noema_model_cost_usd_total', used.costNanodollars / 1e9, {})
}

const maxBatch = 200
const maxBatches = 2

const publish = ({ topics }: Deps, { ended, due, reported }: News): void => {
  for (const id of ended.keys()) topics.publish(runTopic(id), runEndTopic(id))
  for (const id of due) topics.publish(runsTopic(id))
  for (const id of reported) topics.publish(organizationTopic(id))
}

/** A batch that fails is repeated one by one: one run never blocks another. */
const options = { maxItems: maxBatch, maxBatches, isSplitAfter: () => true }

/** A batch may be stored though its answer was lost: only one that PostgreSQL refused is repeated. */
const storeOptions = { ...options, isSplitAfter: wasRefused }

const createOutcomeStore = (deps: Deps, notify: Listener): Batcher<Settlement, boolean> =>
  createBatcher({
    ...storeOptions,
    run: async (settlements) => {
      const held = await storeRunOutcomes(deps.db, settlements)
      const findStored = ({ run }: Settlement) => {
        const found = held.get(run.id)
        return found?.lease === run.lease ? found : undefined
      }
      for (const settlement of settlements) {
        const { run, parts } = settlement
        const stored = findStored(settlement)
        if (stored) measureUse(deps, settlement)
        if (stored) notify(toNews(run, listEnded(settlement), false))
        if (stored?.isReported) deps.topics.publish(organizationTopic(run.organizationId))
        if (stored && parts.length > 0) deps.topics.publish(runTopic(run.id))
      }
      return settlements.map((settlement) => findStored(settlement) !== undefined)
    },
  })

const createEnding = (deps: Deps, notify: Listener): Batcher<RunEnd, boolean> =>
  createBatcher({
    ...storeOptions,
    run: async (ends) => {
      const news = await endRuns(deps.db, ends, deps.clock)
      publish(deps, news)
      for (const [id, { organizationId, ending, settlement }] of news.ended) {
        deps.measures.report('noema_runs_ended_total', 1, { state: ending.state })
        if (settlement) measureUse(deps, settlement)
        notify(toNews({ organizationId, id }, listEnded(settlement), true, news.goals.get(id)))
      }
      return ends.map((end) => news.ended.get(end.id) === end)
    },
  })

const createStarting = ({ db }: Deps): Pick<RunStore, 'prepare' | 'start' | 'find'> => ({
  prepare: createBatcher<Place, Standing | undefined>({
    ...options,
    run: (places) => selectStandings(db, places),
  }).add,
  start: createBatcher<NewRun, (RunRow & { isReported: boolean }) | undefined>({
    ...storeOptions,
    run: (runs) => insertRuns(db, runs),
  }).add,
  find: createBatcher<RunKey, RunRow | undefined>({ ...options, run: (places) => selectRunsAt(db, places) }).add,
})

/** Opens the store of a node's runs. */
export const openRunStore = (deps: Deps): RunStore => {
  const reading = createBatcher<LeasedRun, Journal>({
    ...options,
    run: (runs) => {
      const now = deps.clock.now()
      return selectJournals(
        deps.db,
        runs.map(({ organization, id, agentId, agentVersion, conversationId, steps }) => ({
          ...{ organizationId: organization, id, agentId, agentVersion, conversationId, steps, now },
        })),
      )
    },
  })
  const listeners: Listener[] = []
  const notify: Listener = (news) => {
    if (news.isRunOver || news.operationIds.length > 0) for (const listener of listeners) listener(news)
  }
  const settling = createOutcomeStore(deps, notify)
  const ending = createEnding(deps, notify)
  return {
    ...createStarting(deps),
    read: reading.add,
    storeOutcome: settling.add,
    park: async (run) => {
      const parked = await deps.db.transaction().execute((tx) => parkRun(tx, run, deps.clock.now()))
      deps.topics.publish(runTopic(run.id))
      if (parked?.isDue) deps.topics.publish(runsTopic(run.organizationId))
    },
    end: ending.add,
    report: notify,
    listen: (listener) => void listeners.push(listener),
    idle: async () => {
      await Promise.all([settling.idle(), ending.idle()])
    },
  }
}
