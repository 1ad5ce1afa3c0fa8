import type { Capability } from '@noema/contracts/access.ts'
import { sql } from 'kysely'
import {
  defineLookUp,
  type FoundBrainKey,
  type FoundManagementKey,
  joinBrainKeys,
  joinManagementKeys,
  type RequestedKey,
  toRecordset,
} from './queries.ts'

// The token of an app names a grant, which is a row of a key. The look-ups are those of keys, with one table in front, and with
// the member who let the app in: a grant ends with the membership, although a Brain key does not.

/** The scopes that the app asked for when it last refreshed the token, which may be fewer, and its name. */
type Narrowed = { scopes: string[]; appName: string }
export type FoundBrainGrant = FoundBrainKey & Narrowed
export type FoundAgentsGrant = FoundManagementKey & Narrowed & { capabilities: Capability[] }

type Now = { now: string }
type RequestedSet = { requested: string }

const place = sql`requested.place`
const requestedTokens = (requested: string) => toRecordset(requested, sql`hash text`)

/** The grants of tokens that are live, of `tokens`: `key` with the token's scopes. */
const ofTokens = (table: 'brain_keys' | 'management_keys', now: string) => sql`
  select key.*, token.scopes as token_scopes from "oauthAccessToken" as token
  join ${sql.table(table)} as key on key.id = token."referenceId" and key.app_id is not null
  where token."expiresAt" > ${now} and token.revoked is null`

const scopes = sql`key.token_scopes as scopes, key.name as "appName"`

const isOfMember = sql`exists (select 1 from member where member."organizationId" = organization.id
  and member."userId" = key.created_by)`

/** The grant of a token at the Brain of a handle. */
export const findBrainGrant = defineLookUp<RequestedKey & Now, FoundBrainGrant>(
  ({ hash, handle, now, divided }) => sql<FoundBrainGrant>`
    ${joinBrainKeys({
      from: sql`(${ofTokens('brain_keys', now)} and token.token = ${hash} limit 1) as key`,
      ...{ place: sql`1`, now, divided, also: sql`, ${scopes}` },
    })}
    and brain.handle = ${handle}::text and ${isOfMember}`,
)

/** The grants of a set of tokens, each at the Brain of its handle. */
export const findBrainGrants = defineLookUp<RequestedSet & Now, FoundBrainGrant>(
  ({ requested, now, divided }) => sql<FoundBrainGrant>`
    ${joinBrainKeys({
      from: sql`${requestedTokens(requested)} cross join lateral (
        ${ofTokens('brain_keys', now)} and token.token = requested.hash limit 1) as key`,
      ...{ place, now, divided, also: sql`, ${scopes}` },
    })}
    and brain.handle = requested.handle and ${isOfMember}`,
)

const also = sql`, ${scopes}, key.capabilities`

/** The grant of a token at the agents of its organization. */
export const findAgentsGrant = defineLookUp<RequestedKey & Now, FoundAgentsGrant>(({ hash, now, divided }) =>
  joinManagementKeys<FoundAgentsGrant>({
    from: sql`(${ofTokens('management_keys', now)} and token.token = ${hash} limit 1) as key`,
    ...{ place: sql`1`, handle: sql`null::text`, now, divided, also },
  }),
)

/** The grants of a set of tokens at the agents of their organizations. */
export const findAgentsGrants = defineLookUp<RequestedSet & Now, FoundAgentsGrant>(({ requested, now, divided }) =>
  joinManagementKeys<FoundAgentsGrant>({
    from: sql`${requestedTokens(requested)} cross join lateral (
        ${ofTokens('management_keys', now)} and token.token = requested.hash limit 1) as key`,
    ...{ place, handle: sql`null::text`, now, divided, also },
  }),
)
