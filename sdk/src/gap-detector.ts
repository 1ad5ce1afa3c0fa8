import type { BrainEvent } from '@noema/contracts/events.ts'
import type { TestEvent, WebhookBody } from '@noema/contracts/webhooks.ts'

/** The source of missed events for the detector: the events of a Brain's client. */
type EventSource = {
  events: { list(query: { after: string; types: BrainEvent['type'][] | undefined }): AsyncIterable<BrainEvent> }
}

export type GapDetectorOptions = {
  /** The cursor of the event that was handled last, as it was kept; undefined before the first. */
  after?: string | undefined
  /** The webhook's own types, so that a gap is read by the same choice. */
  types?: BrainEvent['type'][] | undefined
  /** Handles one event. If it rejects, the event counts as not handled and `receive` rejects as well. */
  onEvent: (event: BrainEvent) => void | Promise<void>
}

export type GapDetector = {
  /** Takes a delivery and resolves with how many events were handled for it: 1, 0 for a repeat, more for a gap. */
  receive(delivery: WebhookBody<BrainEvent | TestEvent>): Promise<number>
}

/**
 * Turns deliveries of a Brain's webhook into the stream: every event, in order, once. If a delivery does not follow the
 * last handled event (the service skips one after three failures), it reads the events between; it drops repeats.
 * Deliveries are handled one at a time. Store the cursor of each handled event together with its effect, and pass the last
 * one as `after` at the next start.
 */
export const createGapDetector = (brain: EventSource, { after, types, onEvent }: GapDetectorOptions): GapDetector => {
  let last = after
  let turn: Promise<unknown> = Promise.resolve()
  const handle = async (event: BrainEvent) => {
    await onEvent(event)
    last = event.cursor
  }
  const catchUp = async (from: string, upTo: string): Promise<number> => {
    let handled = 0
    for await (const event of brain.events.list({ after: from, types })) {
      await handle(event)
      handled++
      if (event.cursor === upTo) break
    }
    // The search for an old repeat after the last handled event reads the stream to its end.
    return handled
  }
  const take = async ({ previousCursor, event }: WebhookBody<BrainEvent | TestEvent>): Promise<number> => {
    if (event.type === 'webhook.test' || event.cursor === last) return 0
    if (last !== undefined && previousCursor !== last) return catchUp(last, event.cursor)
    await handle(event)
    return 1
  }
  return {
    receive: (delivery) => {
      const taken = turn.then(() => take(delivery))
      turn = taken.catch(() => undefined)
      return taken
    },
  }
}
