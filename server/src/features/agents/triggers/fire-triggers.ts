import { type LeasedWork, toOverlookedPage } from '../../../shared/concurrency/leased-work.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { type FireDeps, fireInOrder } from './fire-in-order.ts'
import {
  type LeasedTrigger,
  leaseTriggers,
  type Outcome,
  selectOverlookedBrains,
  storeTriggerOutcomes,
} from './lease-queries.ts'

/** Triggers as leased work: a node goes through the events of one trigger, in order. */
export const createTriggerWork = (deps: FireDeps): LeasedWork<LeasedTrigger, Outcome> => ({
  name: 'fire triggers',
  maxTurns: 16,
  leaseSeconds: 30,
  maxKeys: 200,
  topic: 'brain:',
  isLocal: true,
  lease: (request) => leaseTriggers(deps, request),
  run: (trigger, turn) => fireInOrder(deps, trigger, turn),
  storeOutcomes: (settlements) => storeTriggerOutcomes(deps, settlements),
  dueKeys: (page) => selectDueKeys({ table: 'triggers', key: 'brain_id' }, page),
  findOverlooked: async (page) => toOverlookedPage(await selectOverlookedBrains(deps.db, page), page),
})
