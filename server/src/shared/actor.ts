import type { ActorSummary } from '@noema/contracts/common.ts'

/**
 * Who did something, as it is kept beside what they did: of a change, a decision, a version, a webhook. `id` is the key's;
 * of a session it is the user's, whichever of their sessions it was.
 */
export type Actor = {
  type: ActorSummary['type']
  id: string
  /** The person behind it, where one is known: who is signed in, who minted the key, who started the run. */
  userId?: string
  runId?: string
  /** Of a Brain key that replaced another: the first key of its line, whose minter `userId` is. */
  line?: string
  /** Who else rotated keys of that line. */
  rotatedBy?: readonly string[]
}

/** An actor as answers show it. */
export const summarizeActor = ({ type, id, userId, runId }: Actor): ActorSummary => ({
  type,
  id,
  ...(userId === undefined ? {} : { userId }),
  ...(runId === undefined ? {} : { runId }),
})

const findPeople = ({ userId, rotatedBy = [] }: Actor): readonly string[] =>
  userId === undefined ? rotatedBy : [userId, ...rotatedBy]

/**
 * Whether two actors may be one person: whoever minted a key, or rotated one of its line, can have used it (D-42). Actors
 * behind whom nobody is known are told apart by their ids and lines alone.
 */
export const mayBeSamePerson = (one: Actor, other: Actor): boolean => {
  if ((one.line ?? one.id) === (other.line ?? other.id)) return true
  const people = findPeople(other)
  return findPeople(one).some((person) => people.includes(person))
}
