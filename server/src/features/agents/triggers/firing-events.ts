import type { EventType } from '@noema/contracts/event-types.ts'
import type { BrainEvent } from '@noema/contracts/events.ts'
import { stagedChanges, type Trigger } from '@noema/contracts/triggers.ts'

// The events of a stream that a trigger examines, and their subjects.

/** Events of content, of its dates, and of changes that are staged; what becomes of these, of schemas and snapshots starts nothing. */
export const firingTypes = [
  'record.accepted',
  'record.deleted',
  'statement.asserted',
  'statement.retracted',
  'document.served',
  'document.retired',
  'date.reached',
  'change.staged',
] as const satisfies readonly EventType[]

export type FiringEvent = Extract<BrainEvent, { type: (typeof firingTypes)[number] }>

/** The kinds that an event counts as. A retraction does not name its subject, so it is a statement's alone. */
const toEntityKinds = (event: FiringEvent): string[] => {
  switch (event.type) {
    case 'record.accepted': {
      const { record, retypedFrom } = event.data
      return retypedFrom === undefined ? [record.kind] : [record.kind, retypedFrom]
    }
    case 'record.deleted':
    case 'date.reached':
      return [event.data.record.kind]
    case 'statement.asserted':
      return ['statement', event.data.subject.kind]
    case 'statement.retracted':
      return ['statement']
    case 'document.served':
    case 'document.retired':
      return ['document']
    case 'change.staged':
      return [stagedChanges]
  }
}

/** True if a trigger names a kind of the event; one that names none sees all content. */
export const isWatched = ({ kindScopes }: Pick<Trigger, 'kindScopes'>, event: FiringEvent): boolean => {
  const kinds = toEntityKinds(event)
  return (
    (kindScopes.length === 0 && event.type !== 'change.staged') ||
    kindScopes.some(({ entityKind }) => kinds.includes(entityKind))
  )
}

/** At most this many triggers in a row may start a run because of the one before. */
export const maxLineage = 3

/**
 * The triggers that a run of this trigger comes of, including itself, if it may start: `behind` are those of the runs that caused
 * the event. A trigger's own run starts none of it, and chains have an end.
 */
export const toLineage = (id: string, behind: readonly (readonly string[])[]): string[] | undefined => {
  if (behind.some((lineage) => lineage.at(-1) === id || lineage.length >= maxLineage)) return undefined
  const longest = behind.reduce<readonly string[]>((one, other) => (other.length > one.length ? other : one), [])
  return [...longest, id]
}
