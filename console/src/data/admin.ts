import type { AccessRequest } from '@noema/contracts/access-requests.ts'
import type { AdminEvent, AdministeredMail, AdministeredOrganization, InvitationCode } from '@noema/contracts/admin.ts'
import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query'
import { baseUrl } from '../base-path.ts'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'
import { askAgain } from './runs.ts'

// The queries of the operator. They belong to no organization, but their keys also start with the session, so that one session
// never sees the data of another.

export type Tier = InvitationCode['tier']
export const tiers = ['free', 'business', 'enterprise', 'staff'] as const satisfies readonly Tier[]
export const requestStates = ['waiting', 'approved', 'refused'] as const satisfies readonly AccessRequest['state'][]
export const eventKinds = [
  'access_request',
  'signup',
  'organization_ended',
] as const satisfies readonly AdminEvent['kind'][]
export const mailStates = [
  'failed',
  'pending',
  'stored',
  'sent',
] as const satisfies readonly AdministeredMail['state'][]

export const requestsQuery = ({ organization, client }: Session, state: AccessRequest['state'] | undefined) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'admin', 'requests', state ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      client.admin.accessRequests.list({ state, order: 'desc', after: pageParam, limit: 100 }, { signal }),
    refetchInterval: askAgain,
    ...paging,
  })

export const codesQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'admin', 'codes'],
    queryFn: ({ signal }) => client.admin.invitationCodes.list({}, { signal }),
  })

const eventsPerPage = 100

export const eventsQuery = ({ organization, client }: Session, kind: AdminEvent['kind'] | undefined) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'admin', 'events', kind ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      client.admin.listEvents({ kind, offset: pageParam, limit: eventsPerPage }, { signal }),
    refetchInterval: askAgain,
    initialPageParam: 0,
    getNextPageParam: ({ events }, pages) =>
      events.length === eventsPerPage ? pages.length * eventsPerPage : undefined,
  })

export type OrganizationSearch = {
  q?: string | undefined
  tier?: Tier | undefined
  state?: AdministeredOrganization['state'] | undefined
}

export const organizationsQuery = ({ organization, client }: Session, search: OrganizationSearch) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'admin', 'organizations', search],
    queryFn: ({ pageParam, signal }) =>
      client.admin.listOrganizations({ ...search, after: pageParam, limit: 100 }, { signal }),
    ...paging,
  })

export const organizationQuery = ({ organization, client }: Session, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'admin', 'organization', id],
    queryFn: ({ signal }) => client.admin.organizations.get(id, { signal }),
    refetchInterval: askAgain,
  })

export const organizationEndQuery = ({ organization, client }: Session, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'admin', 'organization', id, 'end'],
    queryFn: ({ signal }) => client.admin.organizations.previewEnd(id, { signal }),
    staleTime: 0,
  })

export const tiersQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'admin', 'tiers'],
    queryFn: ({ signal }) => client.admin.listTiers({}, { signal }),
  })

export const mailQuery = ({ organization, client }: Session, state: AdministeredMail['state'] | undefined) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'admin', 'mail', state ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      client.admin.listMail({ state, order: 'desc', after: pageParam, limit: 100 }, { signal }),
    refetchInterval: askAgain,
    ...paging,
  })

export const healthQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'admin', 'health'],
    queryFn: ({ signal }) => client.admin.health({}, { signal }),
    refetchInterval: 5_000,
  })

/** Reloads the operator pages after a change. */
export const useAdminRefresh = ({ organization }: Session) => {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: [organization.id, 'admin'] })
}

/** The sign-up link for a code. */
export const toSignUpLink = (code: string, email?: string): string =>
  `${baseUrl}/sign-up?${new URLSearchParams({ code, ...(email !== undefined && { email }) })}`
