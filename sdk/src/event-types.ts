import { type EventType, eventTypes } from '@noema/contracts/event-types.ts'

const known: ReadonlySet<string> = new Set(eventTypes)

/** Checks whether a name from outside (a command line, a form) is an event type that `types` accepts. */
export const isEventType = (name: string): name is EventType => known.has(name)
