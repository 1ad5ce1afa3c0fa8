import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

// The queries of skills. The files of a skill are documents, so what is new in the documents of a Brain makes them stale.

/** The skills of a Brain, page by page. */
export const skillPagesQuery = ({ organization, client }: Session, handle: string) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'documents', 'skills'],
    queryFn: ({ pageParam, signal }) => client.brain(handle).skills.list({ after: pageParam, limit: 100 }, { signal }),
    ...paging,
  })

/** The first skills of a Brain, for a choice. */
export const skillChoicesQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'documents', 'skill-choices'],
    queryFn: ({ signal }) => client.brain(handle).skills.list({ limit: 200 }, { signal }),
    staleTime: 30_000,
  })

/** A skill with its files. */
export const skillQuery = ({ organization, client }: Session, handle: string, name: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'documents', 'skill', name],
    queryFn: ({ signal }) => client.brain(handle).skills.get(name, {}, { signal }),
  })

/** A file of a skill with its text. */
export const skillFileQuery = ({ organization, client }: Session, handle: string, name: string, path: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'documents', 'skill', name, path],
    queryFn: ({ signal }) => client.brain(handle).skills.file(name, path, {}, { signal }),
  })
