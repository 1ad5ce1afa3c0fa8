import { type RawBuilder, sql } from 'kysely'

/** True if one of an organization's owners has confirmed their address. */
export const hasConfirmedOwner = (organizationId: RawBuilder<unknown>) => sql<boolean>`exists (
  select 1 from member as owner join "user" as account on account.id = owner."userId"
  where owner."organizationId" = ${organizationId} and owner.role = 'owner' and account."emailVerified")`
