import type { Capability } from '@noema/contracts/access.ts'
import { type RawBuilder, sql } from 'kysely'
import { type BrainRow, brainColumns } from '../features/brain/brains/brains.ts'
import type { Tier } from './caps.ts'

/** A key to find: the hash of its token in hexadecimal, and the Brain that the request's path names. */
export type WantedKey = { hash: string; handle: string | undefined }

/** A membership to find, and the Brain of the organization that the request's path names. */
export type WantedMember = { userId: string; organizationId: string; handle: string | undefined }

type FoundOrganization = { place: number; organizationName: string; tier: Tier; verified: boolean }
type PerhapsBrain = BrainRow | { brainId: null }
export type FoundManagementKey = FoundOrganization & {
  keyId: string
  keyOrganizationId: string
  keyCreatedAt: Date
  userId: string
} & PerhapsBrain
export type FoundBrainKey = FoundOrganization & {
  keyId: string
  capabilities: Capability[]
  /** Who minted the first key of its line, the first key where it is another, and who else rotated it. */
  userId: string | null
  line: string | null
  rotatedBy: string[] | null
} & BrainRow
type FoundMember = FoundOrganization & { memberOrganizationId: string; role: string } & PerhapsBrain

const organizationColumns = sql`wanted.place, organization.name as "organizationName", organization.tier,
  exists (select from member as owner join "user" as account on account.id = owner."userId"
    where owner."organizationId" = organization.id and owner.role = 'owner' and account."emailVerified") as verified`

// One plan serves every set, however many keys there are. A limit for each token keeps the planner from reading a whole
// table to join a set whose size it cannot know; and as it cannot look into JSON, it plans the same for every set and so
// keeps the plan, where it would make a new one at each call for arrays.
const wantedRows = (wanted: readonly object[], columns: RawBuilder<unknown>) => {
  const rows = wanted.map((one, index) => ({ ...one, place: index + 1 }))
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as wanted (${columns}, handle text, place integer)`
}

const wantedKeys = (wanted: readonly WantedKey[]) => wantedRows(wanted, sql`hash text`)
const wantedMembers = (wanted: readonly WantedMember[]) => wantedRows(wanted, sql`"userId" text, "organizationId" text`)

/** The management keys of these tokens that work now: unrevoked, unexpired, minted by who is a member still (AUT-08). */
export const findManagementKeys = (wanted: readonly WantedKey[], now: Date) =>
  sql<FoundManagementKey>`
  select ${organizationColumns}, key.id as "keyId", key.organization_id as "keyOrganizationId", key.created_at as "keyCreatedAt",
    key.created_by as "userId", ${brainColumns}
  from ${wantedKeys(wanted)}
  cross join lateral (select * from management_keys where hash = decode(wanted.hash, 'hex') limit 1) as key
  join organization on organization.id = key.organization_id
  join member on member."organizationId" = key.organization_id and member."userId" = key.created_by
  left join brains as brain on brain.organization_id = key.organization_id and brain.handle = wanted.handle
    and brain.deleted_at is null
  where key.revoked_at is null and (key.expires_at is null or key.expires_at > ${now})`

/** The Brain keys of these tokens that work now: unrevoked, unexpired, of a Brain that exists. */
export const findBrainKeys = (wanted: readonly WantedKey[], now: Date) =>
  sql<FoundBrainKey>`
  select ${organizationColumns}, key.id as "keyId", key.capabilities, key.line,
    key.people[1] as "userId", case when key.line is not null then key.people[2:] end as "rotatedBy", ${brainColumns}
  from ${wantedKeys(wanted)}
  cross join lateral (select * from brain_keys where hash = decode(wanted.hash, 'hex') limit 1) as key
  join brains as brain on brain.brain_id = key.brain_id and brain.deleted_at is null
  join organization on organization.id = brain.organization_id
  where key.revoked_at is null and (key.expires_at is null or key.expires_at > ${now})`

/** The memberships that there are of those wanted, with the Brains that the requests are about. */
export const findMembers = (wanted: readonly WantedMember[]) =>
  sql<FoundMember>`
  select ${organizationColumns}, organization.id as "memberOrganizationId", found.role, ${brainColumns}
  from ${wantedMembers(wanted)}
  cross join lateral (select * from member where member."organizationId" = wanted."organizationId"
    and member."userId" = wanted."userId" limit 1) as found
  join organization on organization.id = found."organizationId"
  left join brains as brain on brain.organization_id = organization.id and brain.handle = wanted.handle
    and brain.deleted_at is null`
