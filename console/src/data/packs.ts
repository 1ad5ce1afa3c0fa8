import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

/** The packs that come with the service. */
export const packsQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'packs'],
    queryFn: async ({ signal }) => (await client.packs.list({ signal })).packs,
    staleTime: 60_000,
  })

/** The installs of packs, newest first. Only owners and admins can read the audit log. */
export const installsQuery = (session: Session) =>
  queryOptions({
    queryKey: [session.organization.id, 'audit', 'packs'],
    queryFn: async ({ signal }) =>
      (await session.client.audit.list({ action: 'pack.installed', order: 'desc', limit: 200 }, { signal })).entries,
  })
