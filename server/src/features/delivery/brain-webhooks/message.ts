/** An event of a Brain for one webhook. `event` is JSON text, which travels as it is. */
type EventDelivery = { webhook: string; previousCursor: string | null; cursor: string; event: string }

/** The message that brings an event. Its id is the event's cursor, so it is the same at every attempt. */
export const toMessage = ({ webhook, previousCursor, cursor, event }: EventDelivery): { id: string; body: string } => ({
  id: cursor,
  body: `{"webhook":"${webhook}","previousCursor":${JSON.stringify(previousCursor)},"event":${event}}`,
})
