import type { Queryable } from '../../../storage/database.ts'

/** What of a person's is to end, and in which organizations. */
type AccessToEnd = {
  userId: string
  organizationIds: readonly string[]
  /** Which Brain keys: none, those that they minted or rotated last, or these with all before and after them. */
  brainKeys: 'none' | 'made' | 'lines'
}

type EndedBrainKey = { id: string; name: string; brain: string }

/** What has ended, and the Brain keys of theirs that go on. */
export type EndedAccess = {
  managementKeys: { id: string; name: string }[]
  brainKeys: EndedBrainKey[]
  remainingBrainKeys: EndedBrainKey[]
  webhooks: { id: string; url: string; brain: string | null }[]
}

/** Revokes keys and removes webhooks of a person, in the caller's transaction. */
export type EndAccess = (db: Queryable, access: AccessToEnd, now: Date) => Promise<EndedAccess>
