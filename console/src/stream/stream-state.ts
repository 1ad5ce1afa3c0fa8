import type { BrainEvent } from '@noema/contracts/events.ts'

/** A long stream would fill the page. The newest events are shown, and the cursor leads to the others. */
export const maxShown = 200

export type StreamState = {
  /** Newest first. */
  shown: readonly BrainEvent[]
  /** Arrived while the list was paused, newest first. */
  waiting: readonly BrainEvent[]
  isPaused: boolean
  /** The position after the last event, shown or waiting. */
  cursor: string | undefined
  count: number
  /** The number of events that arrived last, together. */
  arrived: number
}

export type StreamAction =
  | { do: 'add'; events: readonly BrainEvent[] }
  | { do: 'pause' }
  | { do: 'resume' }
  | { do: 'show waiting' }
  | { do: 'empty' }

export const emptyStream: StreamState = {
  shown: [],
  waiting: [],
  isPaused: false,
  cursor: undefined,
  count: 0,
  arrived: 0,
}

const front = (events: readonly BrainEvent[], rest: readonly BrainEvent[]) => [...events, ...rest].slice(0, maxShown)

const showWaiting = (state: StreamState): StreamState => ({
  ...state,
  shown: front(state.waiting, state.shown),
  waiting: [],
})

const add = (state: StreamState, events: readonly BrainEvent[]): StreamState => {
  const newestFirst = events.toReversed()
  const cursor = newestFirst[0]?.cursor ?? state.cursor
  const after = { ...state, cursor, count: state.count + events.length, arrived: events.length }
  return state.isPaused
    ? { ...after, waiting: front(newestFirst, state.waiting) }
    : { ...after, shown: front(newestFirst, state.shown) }
}

export const nextStream = (state: StreamState, action: StreamAction): StreamState => {
  switch (action.do) {
    case 'add':
      return add(state, action.events)
    case 'pause':
      return { ...state, isPaused: true }
    case 'resume':
      return { ...showWaiting(state), isPaused: false }
    case 'show waiting':
      return showWaiting(state)
    case 'empty':
      return emptyStream
  }
}
