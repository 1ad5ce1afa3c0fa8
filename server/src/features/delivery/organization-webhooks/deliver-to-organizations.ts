import { retrySeconds } from '@noema/contracts/organization-webhooks.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { LeasedWork } from '../../../shared/concurrency/leased-work.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { Sent } from '../../../shared/outbound/send-signed.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { sendTo, toFailure } from '../endpoints/endpoints.ts'
import {
  type Attempt,
  deleteSettled,
  type LeasedDelivery,
  leaseDeliveries,
  storeDeliveryOutcomes,
} from './delivery-queries.ts'
import { inTraceOfDelivery, type TraceDeps } from './delivery-traces.ts'
import { secretContext } from './webhook-queries.ts'

// Each delivery is a leased row, sent on its own and in no order: as many of one webhook go out at once as it may have turns.

type Deps = TraceDeps & { clock: Clock; outbound: Outbound; secretBox: SecretBox }

/** Deliveries of one webhook under way at once on one node. */
const maxTurnsOfWebhook = 16
/** After what was not sent, because as many calls are under way as may be. */
const postponedMilliseconds = 1_000
const maxDeleted = 200
const keptMilliseconds = 30 * 86_400_000

/** The outcome of an attempt: the delivery ends with it, or is tried again after a while. */
const toAttempt = (sent: Sent, attempts: number, { at, now }: { at: Date; now: Date }): Attempt => {
  const { delivered, status, answer, milliseconds } = sent
  const wait = delivered ? undefined : retrySeconds[attempts]
  return {
    state: delivered ? 'delivered' : wait === undefined ? 'failed' : 'pending',
    attempts: attempts + 1,
    dueAt: wait === undefined ? null : new Date(now.getTime() + wait * 1000),
    lastAttempt: { at: at.toISOString(), status, error: delivered ? null : toFailure(sent), answer, milliseconds },
  }
}

/** Deliveries to organizations as leased work: a turn is one attempt of one delivery. */
export const createOrganizationWebhookWork = (deps: Deps): LeasedWork<LeasedDelivery, Attempt> => ({
  name: 'deliver to webhooks of organizations',
  // Each waits for its receiver.
  maxTurns: 1_000,
  // Of the calls of an organization, half are for either sort of webhooks.
  maxTurnsOfOrganization: Math.ceil(deps.outbound.limits.organization / 2),
  leaseSeconds: 30,
  maxKeys: 200,
  topic: 'webhook:',
  lease: (request) => leaseDeliveries(deps.db, request, maxTurnsOfWebhook),
  run: async (delivery, { storeOutcome, stopping }) => {
    const at = deps.clock.now()
    const endpoint = { ...delivery, context: secretContext(delivery.key) }
    const sent = await inTraceOfDelivery(deps, delivery, () =>
      sendTo(deps, endpoint, at, { id: delivery.id, body: delivery.body }),
    )
    // A failure and a cut by the node's own end look the same, so neither counts.
    const isCut = !sent.delivered && stopping.aborted
    const { attempts, lastAttempt } = delivery
    const now = deps.clock.now()
    const later = new Date(now.getTime() + (isCut ? 0 : postponedMilliseconds))
    await storeOutcome(
      isCut || sent.isPostponed
        ? { state: 'pending', attempts, dueAt: later, lastAttempt }
        : toAttempt(sent, attempts, { at, now }),
    )
    return false
  },
  storeOutcomes: (settlements) => storeDeliveryOutcomes(deps.db, settlements),
  dueKeys: (page) => selectDueKeys({ table: 'organization_deliveries', key: 'webhook_id' }, page),
})

/** Deletes deliveries that ended long ago. */
export const forgetDeliveries = async ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> => {
  const before = new Date(clock.now().getTime() - keptMilliseconds)
  while ((await deleteSettled(db, before, maxDeleted)) === maxDeleted);
}
