/**
 * Who did something, as it is kept beside what they did: of a change, a decision, a version, a webhook. `id` is the key's;
 * of a session it is the user's, whichever of their sessions it was.
 */
export type Actor = {
  type: 'key' | 'session' | 'run' | 'system'
  id: string
  /** The person behind it, where one is known: who is signed in, who minted the key, who started the run. */
  userId?: string
  runId?: string
}
