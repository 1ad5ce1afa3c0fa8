import type { documentWithText } from '@noema/contracts/documents.ts'
import type { Result } from '@noema/contracts/endpoint.ts'
import type { getSnapshot } from '@noema/contracts/snapshots.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

/** A version of a document with its text. */
export type DocumentWithText = z.infer<typeof documentWithText>

// The queries of documents, and of the snapshots of their sources.

/** Served documents by id, page by page; all or those of one source. */
export const documentPagesQuery = ({ organization, client }: Session, handle: string, source: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'documents', 'list', source],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).documents.list({ source, after: pageParam, limit: 200 }, { signal }),
    ...paging,
  })

/** One document with its text: the current version, a numbered one, or the one at an earlier state. */
export const documentQuery = (
  { organization, client }: Session,
  handle: string,
  id: string,
  at: { version?: number | undefined; asOf?: number | undefined } = {},
) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'documents', 'one', id, at],
    queryFn: ({ signal }) => client.brain(handle).documents.get(id, at, { signal }),
  })

/** The versions of a document without their texts, newest first. */
export const documentVersionsQuery = ({ organization, client }: Session, handle: string, id: string) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'documents', 'versions', id],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).documents.versions(id, { after: pageParam, limit: 100, order: 'desc' }, { signal }),
    ...paging,
    // Its result says whether the shown version is still current.
    staleTime: 0,
  })

/** The snapshots of a source, newest first. */
export const snapshotsQuery = ({ organization, client }: Session, handle: string, source: string) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'snapshots', 'list', source],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).snapshots.list(source, { after: pageParam, limit: 50, order: 'desc' }, { signal }),
    ...paging,
  })

/** The effect of a plan on one document. */
export type PlanItem = Result<typeof getSnapshot>['items'][number]
export type PlanOp = PlanItem['op']

/** A snapshot with a page of its plan. */
export const snapshotQuery = (
  { organization, client }: Session,
  handle: string,
  { source, snapshot, op }: { source: string; snapshot: string; op?: PlanOp | undefined },
) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'snapshots', 'one', source, snapshot, op],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).snapshots.get(source, snapshot, { op, after: pageParam, limit: 200 }, { signal }),
    ...paging,
  })

/** The number of statements that are searched for citations of a document: no list is indexed by the cited document. */
export const maxStatementsExamined = 2_000

/** The statements that cite a document, among the newest. */
export const citingStatementsQuery = ({ organization, client }: Session, handle: string, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'statements', 'citing', id],
    queryFn: async ({ signal }) => {
      const statements: Statement[] = []
      let after: string | undefined
      let examined = 0
      let hasMore = true
      while (hasMore && examined < maxStatementsExamined) {
        const page = await client.brain(handle).statements.list({ after, limit: 500, order: 'desc' }, { signal })
        statements.push(...page.statements.filter(({ sources }) => sources.some(({ document }) => document === id)))
        examined += page.statements.length
        after = page.cursor
        hasMore = page.hasMore
      }
      return { statements, isCut: hasMore }
    },
  })
