import { webhookLimits } from '@noema/contracts/webhooks.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { Seal } from '../../../shared/seal.ts'
import { type EventPage, encodeEventCursor, eventsOf } from '../../brain/stream/stream.ts'
import { decodeCursor } from '../../platform/cursors/cursors.ts'
import type { LeasedWebhook, Settlement } from './lease-queries.ts'
import { openSigner } from './secrets.ts'
import { failureOf, type Sent, sendDelivery } from './send.ts'
import type { Settle } from './settling.ts'

// One webhook's turn on this node: while the lease holds, its events go out one after the other. An event is settled, and
// with that the lease asked about, before the next is sent: so a node that lost its lease stops, and a webhook that was
// deleted is not called again (WHK-10).

export type SessionDeps = {
  clock: Clock
  log: Log
  outbound: Outbound
  seal: Seal
  settle: Settle
  readPage: (webhook: LeasedWebhook, after: number) => Promise<EventPage>
  isStopping: () => boolean
}

/** How long a webhook's turn is at most, and how long its lease: longer than a turn and its last delivery take. */
const turnMilliseconds = 10_000
export const leaseMilliseconds = 30_000

/** When the second and third attempt begin, after the one before: about 20 and 90 seconds after the first. */
const backoff = [20_000, 70_000]
const unreadableSecretMilliseconds = 60_000
/** How long what a deleted Brain's webhooks had not received yet is still sent to them; then only its last event. */
const afterDeletionMilliseconds = 3_600_000

type Place = Pick<Settlement, 'examined' | 'settled' | 'attempts'>
type Ending = Pick<Settlement, 'course' | 'dueAt' | 'failure' | 'delivery'>

const later = (time: Date, milliseconds: number) => new Date(time.getTime() + milliseconds)

/** The cursor and type that every event's text begins with, and its position. */
const addressOf = (event: string) => {
  const [, cursor = '', type = ''] = /^\{"cursor":"([^"]+)","type":"([^"]+)"/.exec(event) ?? []
  return { cursor, type, position: Number(decodeCursor(cursor)?.place) }
}

/**
 * Delivers for a webhook until there is nothing left, an attempt fails, the turn is over, or the lease is lost. Answers
 * whether the turn was over with more to send.
 */
export const runSession = async (deps: SessionDeps, webhook: LeasedWebhook): Promise<boolean> => {
  const { brainId, id, lease } = webhook
  const endOfTurn = later(deps.clock.now(), turnMilliseconds)
  // A turn is short: when a rotation's day is over in the midst of one, the next turn signs by the new secret alone.
  const sign = openSigner(deps.seal, webhook, deps.clock.now())
  let isUnfinished = false
  let place: Place = { examined: webhook.examined, settled: webhook.settled, attempts: webhook.attempts }
  const cursorOf = (position: number | null) => (position === null ? null : encodeEventCursor(webhook, position))
  const goOn = (next: Place, ending: Partial<Ending> & Pick<Ending, 'course'>): Promise<boolean> => {
    place = next
    return deps.settle({ brainId, id, lease, ...next, dueAt: null, failure: null, delivery: null, ...ending })
  }

  const attempt = async (event: string, { isLast, page }: { isLast: boolean; page: EventPage }): Promise<boolean> => {
    const at = deps.clock.now()
    const { cursor, type, position } = addressOf(event)
    if (sign === undefined) {
      deps.log.error(
        { webhook: id },
        "a webhook's secret cannot be opened: was NOEMA_SECRET changed? Rotate its secret",
      )
      const error = 'The secret cannot be opened: the service has another NOEMA_SECRET since. Rotate it.'
      const failure = { cursor, at: at.toISOString(), attempts: Math.max(1, place.attempts), status: null, error }
      return goOn(place, { course: 'wait', dueAt: later(at, unreadableSecretMilliseconds), failure })
    }
    const delivery = { webhook: id, previousCursor: cursorOf(place.settled), cursor, event }
    const sent = await sendDelivery(deps.outbound, { url: webhook.url, sign, at }, delivery)
    // Whether it failed or was cut by the node's own end cannot be told apart, so it does not count.
    if (!sent.delivered && deps.isStopping()) return goOn(place, { course: 'wait', dueAt: at })
    const attempts = place.attempts + 1
    const { outcome, ...report } = reportOf(sent, { cursor, type, at, attempts })
    const retryAfter = outcome === 'retrying' ? backoff[place.attempts] : undefined
    if (retryAfter !== undefined)
      return goOn({ ...place, attempts }, { course: 'wait', dueAt: later(at, retryAfter), ...report })
    const examined = isLast ? page.examined : position
    const course = isLast && !page.hasMore ? 'release' : 'hold'
    return goOn({ examined, settled: position, attempts: 0 }, { course, ...report })
  }

  const deliverPage = async (page: EventPage): Promise<boolean> => {
    const events = eventsOf(page)
    if (events.length === 0)
      return goOn({ ...place, examined: page.examined }, { course: page.hasMore ? 'hold' : 'release' })
    for (const [index, event] of events.entries()) {
      const now = deps.clock.now()
      if (deps.isStopping() || now >= endOfTurn) {
        isUnfinished = true
        return goOn(place, { course: 'wait', dueAt: now })
      }
      if (!(await attempt(event, { isLast: index === events.length - 1, page }))) return false
    }
    return true
  }

  if (isLateForDeleted(webhook, deps.clock.now())) {
    // Only the farewell is left to send; that the events before it are passed over shows in its previousCursor.
    const passed = webhook.head - 1
    if (!(await goOn({ examined: passed, settled: passed, attempts: 0 }, { course: 'hold' }))) return false
  }
  while (await deliverPage(await deps.readPage(webhook, place.examined)));
  return isUnfinished
}

const isLateForDeleted = ({ deletedAt, head, examined }: LeasedWebhook, now: Date): boolean =>
  deletedAt !== null && now > later(deletedAt, afterDeletionMilliseconds) && examined < head - 1

/** What is kept of an attempt: its line in the log, and where it failed, the failure. */
const reportOf = (
  sent: Sent,
  { cursor, type, at, attempts }: { cursor: string; type: string; at: Date; attempts: number },
) => {
  const { status, error, answer, milliseconds, delivered } = sent
  const outcome = delivered ? 'delivered' : attempts < webhookLimits.attempts ? 'retrying' : 'skipped'
  const time = at.toISOString()
  return {
    outcome,
    delivery: { cursor, type, attempt: attempts, at: time, outcome, status, error, answer, milliseconds },
    failure: delivered ? null : { cursor, at: time, attempts, status, error: failureOf(sent) },
  } as const
}
