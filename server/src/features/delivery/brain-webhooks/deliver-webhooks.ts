import { webhookLimits } from '@noema/contracts/webhooks.ts'
import { type LeasedWork, toOverlookedPage } from '../../../shared/concurrency/leased-work.ts'
import type { Tracer } from '../../../shared/tracing/tracer.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { type DeliverDeps, deliverInOrder } from './deliver-in-order.ts'
import { createDeliveryTraces } from './delivery-traces.ts'
import {
  type LeasedWebhook,
  leaseWebhooks,
  type Outcome,
  selectOverlookedBrains,
  storeWebhookOutcomes,
  toUnprepared,
} from './lease-queries.ts'
import { createPageReader } from './page-reader.ts'

// Events go out as soon as they are committed: a wake names a Brain, its webhooks that have something to send are leased in
// one statement, and each runs by itself from then on. There is no timer and no look-up for a webhook that has nothing to
// send.

type Deps = Omit<DeliverDeps, 'readPage' | 'traces'> & {
  db: Db
  isDivided: boolean
  prepared: RunPrepared
  tracer: Tracer | undefined
}

/**
 * A prepared plan is kept as it was made, perhaps for a table of few webhooks: cheap for the Brain or two of a commit, but
 * not for a burst of many.
 */
const maxPreparedKeys = 4

/** The webhooks of Brains as leased work: a turn sends the events of one webhook, in order. */
export const createBrainWebhookWork = (deps: Deps): LeasedWork<LeasedWebhook, Outcome> => {
  const unprepared: RunPrepared = async <Row extends object>(statement: Parameters<RunPrepared>[0]) =>
    (await deps.db.executeQuery<Row>(toUnprepared(statement))).rows
  const delivering = { ...deps, readPage: createPageReader(deps.prepared), traces: createDeliveryTraces(deps) }
  return {
    name: 'deliver to webhooks',
    // Each waits for its receiver.
    maxTurns: 1_000,
    // Of the calls of an organization, half are for either sort of webhooks.
    maxTurnsOfOrganization: Math.ceil(deps.outbound.limits.organization / 2),
    leaseSeconds: 30,
    maxKeys: 200,
    topic: 'brain:',
    lease: (request) =>
      leaseWebhooks(request.keys.length > maxPreparedKeys ? unprepared : deps.prepared, request, deps.isDivided),
    run: (webhook, turn) => deliverInOrder(delivering, webhook, turn),
    storeOutcomes: (settlements) => storeWebhookOutcomes(deps.prepared, settlements, webhookLimits.deliveriesKept),
    // An attempt is due, or a lease ran out.
    dueKeys: (page) => selectDueKeys({ table: 'brain_webhooks', key: 'brain_id' }, page),
    findOverlooked: async (page) => toOverlookedPage(await selectOverlookedBrains(deps.db, page), page),
  }
}
