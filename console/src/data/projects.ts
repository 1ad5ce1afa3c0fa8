import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

/** All projects, archived ones too. A single response contains all of them. */
export const allProjectsQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'projects'],
    queryFn: async ({ signal }) => (await client.projects.list({ limit: 500 }, { signal })).projects,
  })

/** The open projects, by name. */
export const projectsQuery = (session: Session) =>
  queryOptions({
    ...allProjectsQuery(session),
    select: (projects) => projects.filter(({ archivedAt }) => archivedAt === null),
  })
