import type { Queryable } from '../../../storage/database.ts'

/** The person whose access is revoked, and the organizations. */
type AccessToEnd = {
  userId: string
  organizationIds: readonly string[]
  /** The Brain keys to revoke: none, those that they minted or rotated last, or these with their whole chains of rotations. */
  brainKeys: 'none' | 'made' | 'lines'
}

/** A provider of language models; without a `baseUrl` it is the usual one of its kind. */
type SetUpProvider = { name: string; baseUrl: string | null }

type EndedBrainKey = { id: string; name: string; brain: string }

/** Triggers and schedules start runs of agents. */
type MadeTrigger = { id: string; name: string }
type MadeSchedule = { id: string; cron: string }

type SetUpConnector = { id: string; name: string; url: string }

/** The revoked access, and the person's Brain keys, providers, connectors, triggers and schedules that remain. */
export type EndedAccess = {
  managementKeys: { id: string; name: string }[]
  brainKeys: EndedBrainKey[]
  remainingBrainKeys: EndedBrainKey[]
  webhooks: { id: string; url: string; brain: string | null }[]
  providers: SetUpProvider[]
  connectors: SetUpConnector[]
  triggers: MadeTrigger[]
  schedules: MadeSchedule[]
  remainingProviders: SetUpProvider[]
  remainingConnectors: SetUpConnector[]
  remainingTriggers: MadeTrigger[]
  remainingSchedules: MadeSchedule[]
}

/** Revokes keys and removes webhooks of a person, in the caller's transaction. */
export type EndAccess = (db: Queryable, access: AccessToEnd, now: Date) => Promise<EndedAccess>
