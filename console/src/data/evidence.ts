import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

// What a change rests on, and what became of what it was proposed on.

const minutes = 60_000

/** A version of a document with its text: the one that was quoted, or the current one. */
export const documentVersionQuery = (
  { organization, client }: Session,
  handle: string,
  { id, version }: { id: string; version?: number | undefined },
) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'documents', id, 'version', version ?? null],
    queryFn: ({ signal }) =>
      client.brain(handle).documents.get(id, version === undefined ? {} : { version }, { signal }),
    staleTime: version === undefined ? 5_000 : 5 * minutes,
  })

/** What one read returned, and what of it has changed since. */
export const receiptQuery = ({ organization, client }: Session, handle: string, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'receipts', id],
    queryFn: ({ signal }) => client.brain(handle).receipts.get(id, { signal }),
  })

type Target = { type: string; id: string }
type Thing = Readonly<Record<string, unknown>> & { version: number }

/** What is there now of what a change is about; null where there is nothing any more. */
export const currentQuery = ({ organization, client }: Session, handle: string, { type, id }: Target) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, `${type}s`, id, 'current'],
    queryFn: async ({ signal }): Promise<Thing | null> => {
      const brain = client.brain(handle)
      try {
        if (type === 'record') return (await brain.records.get(id, {}, { signal })).record
        if (type === 'document') return (await brain.documents.get(id, {}, { signal })).document
        return (await brain.statements.get(id, {}, { signal })).statement
      } catch (error) {
        if (error instanceof Error && 'status' in error && error.status === 404) return null
        throw error
      }
    },
  })
