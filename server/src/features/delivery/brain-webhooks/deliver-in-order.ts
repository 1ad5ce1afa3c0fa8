import { webhookLimits } from '@noema/contracts/webhooks.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Turn } from '../../../shared/concurrency/leased-work.ts'
import type { Log } from '../../../shared/log.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import { type Sent, sendSigned } from '../../../shared/outbound/send-signed.ts'
import type { Signer } from '../../../shared/outbound/signing.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { TraceContext } from '../../../shared/tracing/trace-context.ts'
import { type EventPage, encodeEventCursor, readEventHead, splitEvents } from '../../kernel/stream/stream.ts'
import { decodeCursor } from '../../platform/cursors/cursors.ts'
import { openSigner, toFailure, unreadableSecret } from '../endpoints/endpoints.ts'
import type { DeliveryTraces } from './delivery-traces.ts'
import type { LeasedWebhook, Outcome } from './lease-queries.ts'
import { toMessage } from './message.ts'
import { secretContext } from './webhook-queries.ts'

// One webhook's work on this node: while the lease is valid, its events go out one after the other. The outcome of an event is
// stored, which checks the lease, before the next is sent: so a node that lost its lease stops, and a deleted webhook is not
// called again (WHK-10).

export type DeliverDeps = {
  clock: Clock
  log: Log
  outbound: Outbound
  secretBox: SecretBox
  readPage: (webhook: LeasedWebhook, after: number) => Promise<EventPage>
  traces: DeliveryTraces
}

/** The maximum length of a webhook's turn: shorter than its lease by more than the last delivery of a turn takes. */
const turnMilliseconds = 10_000

/** When the second and third attempt begin, after the one before: about 20 and 90 seconds after the first. */
const backoff = [20_000, 70_000]
/** After what was not sent, because as many calls are under way as may be. */
const postponedMilliseconds = 1_000
/** After an event that was skipped because its receiver let every call run out: the next would take as long. */
const restMilliseconds = 60_000
const unreadableSecretMilliseconds = 60_000
/** For this long a deleted Brain's webhooks are still sent the events that they had not received; then only its last event. */
const afterDeletionMilliseconds = 3_600_000

type Progress = Pick<Outcome, 'examined' | 'settled' | 'attempts'>

const later = (time: Date, milliseconds: number) => new Date(time.getTime() + milliseconds)

const toOutcome = (progress: Progress, ending: Partial<Outcome> & Pick<Outcome, 'next'>): Outcome => ({
  ...{ dueAt: null, failure: null, delivery: null },
  ...progress,
  ...ending,
})

const readHead = (event: string) => {
  const { cursor, type } = readEventHead(event)
  return { cursor, type, position: Number(decodeCursor(cursor)?.place) }
}
type EventHead = ReturnType<typeof readHead>

/** The stored part of an attempt: its line in the log and, if it failed, the failure. */
const toReport = (sent: Sent, { cursor, type }: EventHead, { at, attempts }: { at: Date; attempts: number }) => {
  const { status, error, answer, milliseconds, delivered } = sent
  const outcome = delivered ? 'delivered' : attempts < webhookLimits.attempts ? 'retrying' : 'skipped'
  const time = at.toISOString()
  return {
    delivery: { cursor, type, attempt: attempts, at: time, outcome, status, error, answer, milliseconds },
    failure: delivered ? null : { cursor, at: time, attempts, status, error: toFailure(sent) },
  } as const
}

const failUnsigned = ({ clock, log }: DeliverDeps, id: string, progress: Progress, cursor: string): Outcome => {
  log.error({ webhook: id }, "a webhook's secret cannot be decrypted: was NOEMA_SECRET changed? Rotate its secret")
  const at = clock.now()
  const attempts = Math.max(1, progress.attempts)
  const failure = { cursor, at: at.toISOString(), attempts, status: null, error: unreadableSecret }
  return toOutcome(progress, { next: 'retry_at', dueAt: later(at, unreadableSecretMilliseconds), failure })
}

type Attempt = {
  webhook: LeasedWebhook
  sign: Signer | undefined
  progress: Progress
  event: string
  /** The span of the write behind the event. */
  trace: TraceContext | undefined
  /** The webhook's position and lease after the outcome of this event. */
  settled: { examined: number | undefined; next: 'keep' | 'release' }
}

/** Sends an event once and returns the outcome. */
const attemptOnce = async (deps: DeliverDeps, attempt: Attempt, stopping: AbortSignal): Promise<Outcome> => {
  const { webhook, sign, progress, event, trace, settled } = attempt
  const head = readHead(event)
  if (sign === undefined) return failUnsigned(deps, webhook.id, progress, head.cursor)
  const at = deps.clock.now()
  const previousCursor = progress.settled === null ? null : encodeEventCursor(webhook, progress.settled)
  const message = toMessage({ webhook: webhook.id, previousCursor, cursor: head.cursor, event })
  const sent = await deps.traces.run(trace, { webhook: webhook.id, attempt: progress.attempts + 1 }, () =>
    sendSigned(deps.outbound, { ...webhook, sign, at }, message),
  )
  // A failure and a cut by the node's own end look the same, so neither counts.
  if (!sent.delivered && stopping.aborted) return toOutcome(progress, { next: 'retry_at', dueAt: at })
  if (sent.isPostponed) return toOutcome(progress, { next: 'retry_at', dueAt: later(at, postponedMilliseconds) })
  const attempts = progress.attempts + 1
  const report = toReport(sent, head, { at, attempts })
  const retryAfter = report.delivery.outcome === 'retrying' ? backoff[progress.attempts] : undefined
  if (retryAfter !== undefined)
    return toOutcome({ ...progress, attempts }, { next: 'retry_at', dueAt: later(at, retryAfter), ...report })
  const passed = { examined: settled.examined ?? head.position, settled: head.position, attempts: 0 }
  const rests = sent.hasRunOut && settled.next === 'keep'
  return rests
    ? toOutcome(passed, { next: 'retry_at', dueAt: later(deps.clock.now(), restMilliseconds), ...report })
    : toOutcome(passed, { next: settled.next, ...report })
}

const isLateForDeleted = ({ deletedAt, head, examined }: LeasedWebhook, now: Date): boolean =>
  deletedAt !== null && now > later(deletedAt, afterDeletionMilliseconds) && examined < head - 1

type Delivering = {
  deps: DeliverDeps
  webhook: LeasedWebhook
  turn: Turn<Outcome>
  sign: Signer | undefined
  leaseEnd: Date
  progress: Progress
}

const storeOutcome = (delivering: Delivering, outcome: Outcome): Promise<boolean> => {
  delivering.progress = { examined: outcome.examined, settled: outcome.settled, attempts: outcome.attempts }
  return delivering.turn.storeOutcome(outcome)
}

/** Sends a page's events. `unfinished`: the turn is over with more to send; `ended`: the lease is given back or lost. */
const deliverPage = async (delivering: Delivering, page: EventPage): Promise<'on' | 'unfinished' | 'ended'> => {
  const { deps, turn, leaseEnd } = delivering
  const atEnd = { examined: page.examined, next: page.hasMore ? 'keep' : 'release' } as const
  const events = splitEvents(page)
  if (events.length === 0) {
    const passed = toOutcome({ ...delivering.progress, examined: atEnd.examined }, atEnd)
    return (await storeOutcome(delivering, passed)) ? 'on' : 'ended'
  }
  const traces = await deps.traces.find(delivering.webhook.brainId, events)
  for (const [index, event] of events.entries()) {
    const now = deps.clock.now()
    if (turn.stopping.aborted || now >= leaseEnd) {
      await storeOutcome(delivering, toOutcome(delivering.progress, { next: 'retry_at', dueAt: now }))
      return 'unfinished'
    }
    const settled = index === events.length - 1 ? atEnd : ({ examined: undefined, next: 'keep' } as const)
    const outcome = await attemptOnce(deps, { ...delivering, event, trace: traces[index], settled }, turn.stopping)
    if (!(await storeOutcome(delivering, outcome))) return 'ended'
  }
  return 'on'
}

/**
 * Delivers for a webhook until there is nothing left, an attempt fails, the turn is over, or the lease is lost. Answers
 * whether the turn was over with more to send.
 */
export const deliverInOrder = async (
  deps: DeliverDeps,
  webhook: LeasedWebhook,
  turn: Turn<Outcome>,
): Promise<boolean> => {
  const now = deps.clock.now()
  // A turn is short: when a rotation's day is over in the midst of one, the next turn signs by the new secret alone.
  const sign = openSigner(deps.secretBox, { ...webhook, context: secretContext(webhook.brainId, webhook.id) }, now)
  const progress = { examined: webhook.examined, settled: webhook.settled, attempts: webhook.attempts }
  const delivering = { deps, webhook, turn, sign, leaseEnd: later(now, turnMilliseconds), progress }
  if (isLateForDeleted(webhook, now)) {
    // Only the farewell is left to send; that the events before it are passed over shows in its previousCursor.
    const passed = webhook.head - 1
    const skipped = toOutcome({ examined: passed, settled: passed, attempts: 0 }, { next: 'keep' })
    if (!(await storeOutcome(delivering, skipped))) return false
  }
  for (;;) {
    const state = await deliverPage(delivering, await deps.readPage(webhook, delivering.progress.examined))
    if (state !== 'on') return state === 'unfinished'
  }
}
