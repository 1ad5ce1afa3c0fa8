import type { Artifact } from '@noema/contracts/artifacts.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { saveBlob } from './file-sink.ts'
import { paging } from './paging.ts'

/** The key of all queries of files. */
export const filesKey = ({ organization }: Session) => [organization.id, 'files'] as const

/** The files of the organization by path, page by page: all, or those whose path begins with a prefix. */
export const filePagesQuery = (session: Session, prefix: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...filesKey(session), 'list', prefix],
    queryFn: ({ pageParam, signal }) =>
      session.client.artifacts.list({ prefix, after: pageParam, limit: 200 }, { signal }),
    ...paging,
  })

/** The current version of a file, without its bytes. */
export const fileQuery = (session: Session, id: string) =>
  queryOptions({
    queryKey: [...filesKey(session), 'one', id],
    queryFn: async ({ signal }) => (await session.client.artifacts.get(id, {}, { signal })).artifact,
  })

/** The files that a run wrote, after so many calls that wrote. */
export const runFilesQuery = (session: Session, runId: string, written: number) =>
  queryOptions({
    queryKey: [...filesKey(session), 'run', runId, written],
    queryFn: ({ signal }) => session.client.artifacts.list({ runId, limit: 100 }, { signal }),
    placeholderData: (before) => before,
  })

/** A version of a file, without its bytes. */
export const fileVersionQuery = (session: Session, id: string, version: number) =>
  queryOptions({
    queryKey: [...filesKey(session), 'one', id, version],
    queryFn: async ({ signal }) => (await session.client.artifacts.get(id, { version }, { signal })).artifact,
  })

/** The versions of a file, the newest first. */
export const fileVersionsQuery = (session: Session, id: string) =>
  infiniteQueryOptions({
    queryKey: [...filesKey(session), 'one', id, 'versions'],
    queryFn: ({ pageParam, signal }) =>
      session.client.artifacts.versions(id, { after: pageParam, order: 'desc', limit: 50 }, { signal }),
    ...paging,
  })

/** The bytes of a version of a file. They are kept while they are shown. */
export const fileBytesQuery = (session: Session, { id, version }: Pick<Artifact, 'id' | 'version'>) =>
  queryOptions({
    queryKey: [...filesKey(session), 'bytes', id, version],
    queryFn: async ({ signal }) =>
      (await new Response(await session.client.artifacts.content(id, { version }, { signal })).blob()) as Blob,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The folder of a path with its slash: `reports/` of `reports/q3.pdf`, and an empty text at the top. */
export const toFolder = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** The name of a path without its folder. */
export const toFileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Downloads a version of a file under its name. */
export const downloadFile = async ({ client }: Session, { id, path, version }: Artifact): Promise<void> => {
  const stream = await client.artifacts.content(id, { version })
  saveBlob(await new Response(stream).blob(), toFileName(path))
}
