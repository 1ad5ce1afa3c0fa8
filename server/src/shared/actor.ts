import type { ActorSummary } from '@noema/contracts/common.ts'

/**
 * The stored author of a change, a decision, a version or a webhook. `id` is the key's; for a session it is the user's,
 * whichever of their sessions it was.
 */
export type Actor = {
  type: ActorSummary['type']
  id: string
  /** The person behind it, if known: the signed-in user, the minter of the key, the starter of the run. */
  userId?: string
  runId?: string
  /** Of a Brain key that replaced another: the first key of its chain of rotations, whose minter `userId` is. */
  line?: string
  /** The other people who rotated keys of that chain. */
  rotatedBy?: readonly string[]
}

/** Returns an actor as answers show it. */
export const summarizeActor = ({ type, id, userId, runId }: Actor): ActorSummary => ({
  type,
  id,
  ...(userId === undefined ? {} : { userId }),
  ...(runId === undefined ? {} : { runId }),
})

/** The service, as the author of work with an id that a person or key began: reviewers are compared with who began it. */
export const actFor = (id: string, by: Actor): Actor => {
  const { userId, rotatedBy, line = by.id } = by
  const person = by.type === 'session' ? by.id : userId
  return {
    type: 'system',
    id,
    line,
    ...(person === undefined ? {} : { userId: person }),
    ...(rotatedBy ? { rotatedBy } : {}),
  }
}

const findPeople = ({ userId, rotatedBy = [] }: Actor): readonly string[] =>
  userId === undefined ? rotatedBy : [userId, ...rotatedBy]

/**
 * Checks whether two actors may be one person: anyone who minted a key, or rotated a key of its chain, can have used it
 * (D-42). Actors without a known person are compared by their ids and chains alone.
 */
export const mayBeSamePerson = (one: Actor, other: Actor): boolean => {
  if ((one.line ?? one.id) === (other.line ?? other.id)) return true
  const people = findPeople(other)
  return findPeople(one).some((person) => people.includes(person))
}
