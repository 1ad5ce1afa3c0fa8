import type { BrainRole, Capability } from '@noema/contracts/access.ts'
import { type RawBuilder, sql } from 'kysely'
import { type BrainRow, brainColumns } from '../features/kernel/brains/brain-queries.ts'
import { isLimitedIn, roleInBrain, toPerson } from '../storage/brain-access.ts'
import { hasConfirmedOwner } from '../storage/confirmed-owner.ts'
import { type BoundStatement, defineStatement } from '../storage/statements.ts'
import { worksAt } from '../storage/working-keys.ts'
import type { Tier } from './limits.ts'

/** A key to find: the hash of its token in hexadecimal, and the Brain that the request's path names. */
export type RequestedKey = { hash: string; handle: string | undefined }

/** A membership to find, and the Brain of the organization that the request's path names. */
export type RequestedMember = { userId: string; organizationId: string; handle: string | undefined }

/** A run, and the Brain that it wants to reach, by its public id. */
export type RequestedReach = { organizationId: string; runId: string; brainId: string }

type OrganizationDetails = { organizationName: string; tier: Tier; verified: boolean }
type FoundOrganization = OrganizationDetails & { place: number }
type PerhapsBrain = BrainRow | { brainId: null }

/** The columns of a lookup about a person's access; the Brain is the one that the request's path names. */
export type FoundAccess = PerhapsBrain & { memberRole: string; brainRole: BrainRole | null; isLimited: boolean }

export type FoundManagementKey = FoundOrganization & {
  keyId: string
  keyOrganizationId: string
  keyCreatedAt: Date
  userId: string
} & FoundAccess
export type FoundBrainKey = FoundOrganization & {
  keyId: string
  capabilities: Capability[]
  /** The minter of the key's first version, that first key if it is another one, and the people who rotated it. */
  userId: string | null
  line: string | null
  rotatedBy: string[] | null
  /** The role of who minted or rotated it. */
  brainRole: BrainRole
} & BrainRow
export type FoundMember = FoundOrganization & { memberOrganizationId: string } & FoundAccess

/** `mayAct`: the starter of the run still has access; `userId`: the person behind it. */
type FoundReach = OrganizationDetails & {
  mayAct: boolean
  userId: string | null
  access: string | null
  brainRole: BrainRole | null
} & PerhapsBrain

const organizationDetails = sql`organization.name as "organizationName", organization.tier,
  ${hasConfirmedOwner(sql`organization.id`)} as verified`

// A lookup of one item has its own statement, the cheapest for PostgreSQL. A lookup of many items passes one set, and one
// plan serves every set, however many keys there are. A limit per token keeps the planner from reading a whole table to
// join a set of unknown size. PostgreSQL cannot look into JSON, so it plans every set the same and keeps the plan; with
// arrays it would plan each call again.

/** Encodes a set of items to look up as one parameter, each with its 1-based position. */
export const toRequestedSet = (requested: readonly object[]): string =>
  JSON.stringify(requested.map((one, index) => ({ ...one, place: index + 1 })))

type RequestedSet = { requested: string }

/** `divided`: the heads of Brains are on other servers than keys and members. Then a lookup reads the number alone, and `withHeads` adds the head. */
type Divided = { divided: true | undefined }

/** Defines a lookup by keys: one statement that reads heads, and one for where these are on other servers. */
export const defineLookUp = <Params extends object, Row extends object>(
  build: (params: Params & Divided) => RawBuilder<Row>,
) => {
  const define = (divided: true | undefined) =>
    defineStatement<Params, Row>((params) => build({ ...params, divided }), { isShort: true })
  return { whole: define(undefined), divided: define(true) }
}

export type LookUpStatements<Params, Row extends object> = Record<
  'whole' | 'divided',
  (params: Params) => BoundStatement<Row>
>

const toBrainSource = (divided: true | undefined) =>
  divided
    ? { table: sql`brain_directory`, columns: sql`brain.brain_id as "brainId"` }
    : { table: sql`brains`, columns: brainColumns }

/** Joins the live Brain of an organization's handle, if there is one. */
const joinNamedBrain = (
  organizationId: RawBuilder<unknown>,
  handle: RawBuilder<unknown>,
  divided: true | undefined,
) => sql`
  left join (brain_directory as named join ${toBrainSource(divided).table} as brain
      on brain.brain_id = named.brain_id and brain.deleted_at is null)
    on named.organization_id = ${organizationId} and named.handle = ${handle} and named.deleted_at is null`

/** The person's role in the organization and in the Brain, and whether some Brain is not open to them for review. */
const personalAccess = (organizationId: RawBuilder<unknown>, userId: RawBuilder<unknown>) => sql`
  member.role as "memberRole", ${isLimitedIn(organizationId, userId)} as "isLimited",
  case when brain.brain_id is not null then ${roleInBrain(sql`brain.brain_id`, userId)} end as "brainRole"`

/** A set of items with these columns, its handles and positions. */
export const toRecordset = (requested: string, columns: RawBuilder<unknown>) =>
  sql`json_to_recordset(${requested}::json) as requested (${columns}, handle text, place integer)`

const place = sql`requested.place`
const hashColumn = sql`hash text`
const handleColumn = sql`requested.handle`

/** Management keys that work now, of `from`: unrevoked, unexpired, and their creator is still a member (AUT-08). */
export const joinManagementKeys = <Found extends FoundManagementKey = FoundManagementKey>({
  from,
  place,
  handle,
  now,
  divided,
  also = sql``,
}: Divided & {
  from: RawBuilder<unknown>
  place: RawBuilder<unknown>
  handle: RawBuilder<unknown>
  now: string
  /** Further columns. */
  also?: RawBuilder<unknown>
}) => sql<Found>`
  select ${place} as place, ${organizationDetails}, key.id as "keyId", key.organization_id as "keyOrganizationId",
    key.created_at as "keyCreatedAt", key.created_by as "userId", ${toBrainSource(divided).columns},
    ${personalAccess(sql`key.organization_id`, sql`key.created_by`)} ${also}
  from ${from}
  join organization on organization.id = key.organization_id and organization.ended_at is null
  join member on member."organizationId" = key.organization_id and member."userId" = key.created_by
  ${joinNamedBrain(sql`key.organization_id`, handle, divided)}
  where ${worksAt(now)}`

/** The management key of a token. */
export const findManagementKey = defineLookUp<RequestedKey & { now: string }, FoundManagementKey>(
  ({ hash, handle, ...when }) => sql<FoundManagementKey>`
    ${joinManagementKeys({ from: sql`management_keys as key`, place: sql`1`, handle: sql`${handle}::text`, ...when })}
    and key.hash = decode(${hash}, 'hex')`,
)

/** The management keys of a set of tokens. */
export const findManagementKeys = defineLookUp<RequestedSet & { now: string }, FoundManagementKey>(
  ({ requested, ...when }) => {
    const from = sql`${toRecordset(requested, hashColumn)}
    cross join lateral (select * from management_keys where hash = decode(requested.hash, 'hex') limit 1) as key`
    return joinManagementKeys({ from, place, handle: handleColumn, ...when })
  },
)

// The person who minted a Brain key, or rotated it last, knows its secret: the key may do no more than that person.
const ownerOfBrainKey = toPerson(sql`key.created_by`)

/** Brain keys that work now, of `from`: unrevoked, unexpired, of a Brain that exists and is open to the key's owner. */
export const joinBrainKeys = ({
  from,
  place,
  now,
  divided,
  also = sql``,
}: Divided & {
  from: RawBuilder<unknown>
  place: RawBuilder<unknown>
  now: string
  /** Further columns. */
  also?: RawBuilder<unknown>
}) =>
  sql<FoundBrainKey>`
  select ${place} as place, ${organizationDetails}, key.id as "keyId", key.capabilities, key.line,
    key.people[1] as "userId", case when key.line is not null then key.people[2:] end as "rotatedBy", ${toBrainSource(divided).columns},
    access.role as "brainRole" ${also}
  from ${from}
  join ${toBrainSource(divided).table} as brain on brain.brain_id = key.brain_id and brain.deleted_at is null
  join organization on organization.id = brain.organization_id and organization.ended_at is null
  cross join lateral (select ${roleInBrain(sql`brain.brain_id`, ownerOfBrainKey)} as role) as access
  where ${worksAt(now)} and access.role is not null`

/** The Brain key of a token. Its hash has no unique constraint, hence the limit. */
export const findBrainKey = defineLookUp<Pick<RequestedKey, 'hash'> & { now: string }, FoundBrainKey>(
  ({ hash, ...when }) =>
    joinBrainKeys({
      from: sql`(select * from brain_keys where hash = decode(${hash}, 'hex') limit 1) as key`,
      place: sql`1`,
      ...when,
    }),
)

/** The Brain keys of a set of tokens. */
export const findBrainKeys = defineLookUp<RequestedSet & { now: string }, FoundBrainKey>(({ requested, ...when }) => {
  const from = sql`${toRecordset(requested, hashColumn)}
    cross join lateral (select * from brain_keys where hash = decode(requested.hash, 'hex') limit 1) as key`
  return joinBrainKeys({ from, place, ...when })
})

/** Memberships of `from`, with the Brains that the requests are about. */
const joinMembers = ({
  from,
  place,
  handle,
  divided,
}: Divided & {
  from: RawBuilder<unknown>
  place: RawBuilder<unknown>
  handle: RawBuilder<unknown>
}) => sql<FoundMember>`
  select ${place} as place, ${organizationDetails}, organization.id as "memberOrganizationId", ${toBrainSource(divided).columns},
    ${personalAccess(sql`organization.id`, sql`member."userId"`)}
  from ${from}
  join organization on organization.id = member."organizationId" and organization.ended_at is null
  ${joinNamedBrain(sql`organization.id`, handle, divided)}`

/** The membership of a person in an organization. */
export const findMember = defineLookUp<RequestedMember, FoundMember>(({ userId, organizationId, handle, divided }) =>
  joinMembers({
    from: sql`(select * from member where "organizationId" = ${organizationId} and "userId" = ${userId} limit 1) as member`,
    place: sql`1`,
    handle: sql`${handle}::text`,
    divided,
  }),
)

/** The memberships of a set of persons and organizations. */
export const findMembers = defineLookUp<RequestedSet, FoundMember>(({ requested, divided }) => {
  const from = sql`${toRecordset(requested, sql`"userId" text, "organizationId" text`)}
    cross join lateral (select * from member as named where named."organizationId" = requested."organizationId"
      and named."userId" = requested."userId" limit 1) as member`
  return joinMembers({ from, place, handle: handleColumn, divided })
})

type PersonProof = { email: string; emailVerified: boolean; provenAt: Date | null; isFirst: boolean }

/** The proof of who a person is: their address, and with `asksFirst` whether their account is the first one. */
export const findPersonProof = defineStatement<{ userId: string; asksFirst: boolean }, PersonProof>(
  ({ userId, asksFirst }) => sql`
    select email, "emailVerified", proven_at as "provenAt",
      ${asksFirst ? sql`id = (select id from "user" order by "createdAt", id limit 1)` : sql`false`} as "isFirst"
    from "user" where id = ${userId}`,
  { fixed: { asksFirst: [true, false] }, isShort: true },
)

/**
 * Finds the current reach of a run, with the role of its starter in the Brain. For a run that another run started, the starter of the first run counts. That person
 * must still be a member, and a key must not be revoked, unless it belongs to a trigger or a schedule: these belong to the
 * organization and continue without the person who created them.
 */
export const findRunReach = defineLookUp<RequestedReach, FoundReach>(
  ({ organizationId, runId, brainId, divided }) => sql`
  with recursive line as (
    select run.parent_run_id, run.started_by, coalesce(run.trigger_id, run.schedule_id) as maker, 1 as depth
    from runs as run where run.organization_id = ${organizationId} and run.id = ${runId}
    union all
    select run.parent_run_id, run.started_by, coalesce(run.trigger_id, run.schedule_id), line.depth + 1
    from line join runs as run on run.organization_id = ${organizationId} and run.id = line.parent_run_id
    where line.depth < 10)
  select ${organizationDetails}, starter."userId",
    (starter."isOfOrganization" or starter."userId" is null or exists (select 1 from member
      where member."organizationId" = organization.id and member."userId" = starter."userId"))
    and (starter.key is null or not exists (select 1 from management_keys as key
      where key.id = starter.key and key.revoked_at is not null)) as "mayAct",
    granted.access, ${toBrainSource(divided).columns},
    case when brain.brain_id is not null then ${roleInBrain(sql`brain.brain_id`, sql`starter."userId"`)} end as "brainRole"
  from (
    select started_by->>'userId' as "userId", maker is not null as "isOfOrganization",
      case when started_by->>'type' = 'key' and maker is null then started_by->>'id' end as key
    from line order by depth desc limit 1) as starter
  join organization on organization.id = ${organizationId} and organization.ended_at is null
  left join (run_brains as granted join ${toBrainSource(divided).table} as brain on brain.brain_id = granted.brain_id and brain.id = ${brainId}
      and brain.organization_id = ${organizationId} and brain.deleted_at is null)
    on granted.organization_id = ${organizationId} and granted.run_id = ${runId} and granted.access <> 'none'`,
)
