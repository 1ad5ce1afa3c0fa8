import { isObject } from '@noema/contracts/json.ts'
import type { Organization } from '@noema/contracts/organization.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call, readText } from '../session/auth.ts'
import type { Session } from '../session/session.tsx'

export type Role = NonNullable<Organization['role']>

/** The organization that the pages are of: what it is called, the person's role, and its limits. */
export const organizationQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'organization'],
    queryFn: async ({ signal }) => (await client.organization.get({ signal })).organization,
  })

/** Who may invite, change roles, and read who did what. */
export const manages = (role: Role | null | undefined): boolean => role === 'owner' || role === 'admin'

/** Asks again for what an organization is called, and which there are. */
const refresh = (queries: QueryClient) => queries.invalidateQueries()

export const renameOrganization = async (queries: QueryClient, { organization }: Session, name: string) => {
  await call('/organization/update', { organizationId: organization.id, data: { name } })
  await refresh(queries)
}

/** Makes an organization that the person owns; answers its id. */
export const makeOrganization = async (
  queries: QueryClient,
  { name, slug }: { name: string; slug: string },
): Promise<string> => {
  const made = await call('/organization/create', { name, slug })
  await refresh(queries)
  return isObject(made) ? readText(made, 'id') : ''
}

/** A name for addresses of what is called so. */
export const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)

/** Tells what deleting the organization would take. */
export const deletionQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'organization', 'deletion'],
    queryFn: ({ signal }) => client.organization.previewDeletion({ signal }),
    staleTime: 0,
  })
