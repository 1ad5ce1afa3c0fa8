import { isObject } from '@noema/contracts/json.ts'
import type { Organization } from '@noema/contracts/organization.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call, readText } from '../session/auth.ts'
import type { Session } from '../session/session.tsx'

export type Role = NonNullable<Organization['role']>

/** The current organization: its name, the person's role, and its limits. */
export const organizationQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'organization'],
    queryFn: async ({ signal }) => (await client.organization.get({ signal })).organization,
  })

/** The roles that can invite, change roles, and read the audit log. */
export const manages = (role: Role | null | undefined): boolean => role === 'owner' || role === 'admin'

/** Reloads the organization's name and the list of organizations. */
const refresh = (queries: QueryClient) => queries.invalidateQueries()

export const renameOrganization = async (queries: QueryClient, { organization }: Session, name: string) => {
  await call('/organization/update', { organizationId: organization.id, data: { name } })
  await refresh(queries)
}

/** Creates an organization that the person owns and returns its id. */
export const makeOrganization = async (
  queries: QueryClient,
  { name, slug }: { name: string; slug: string },
): Promise<string> => {
  const made = await call('/organization/create', { name, slug })
  await refresh(queries)
  return isObject(made) ? readText(made, 'id') : ''
}

/** A slug for a name. */
export const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)

/** Loads the preview of the organization's deletion. */
export const deletionQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'organization', 'deletion'],
    queryFn: ({ signal }) => client.organization.previewDeletion({ signal }),
    staleTime: 0,
  })
