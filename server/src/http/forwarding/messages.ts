import type { LargeAnswer, LargeCall } from '../large-requests/messages.ts'

// The messages between nodes.

/** To the node of a Brain: a request, the note that this is the last message, or the question whether the node reads. */
export type ToNode = { id: number; call: LargeCall } | { isLast: true } | { isProbe: true }

/** A call that needs more content than the main thread reads; nothing of it was done. */
export type TurnedLarge = { turnedLarge: true }

/** From the node of a Brain: an answer, or the request to send no more calls. */
export type FromNode = { id: number; answer: LargeAnswer | TurnedLarge } | { isLeaving: true }

/** The limit of one message. A body that is forwarded has 128 KiB at most, and a large answer stays below the limit of documents. */
export const maxMessageBytes = 64 * 1024 * 1024
