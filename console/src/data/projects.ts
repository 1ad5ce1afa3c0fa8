import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

/** The open projects, by name. A single response contains all of them. */
export const projectsQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'projects'],
    queryFn: async ({ signal }) => {
      const { projects } = await client.projects.list({ limit: 500 }, { signal })
      return projects.filter(({ archivedAt }) => archivedAt === null)
    },
  })
