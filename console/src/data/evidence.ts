import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

// The evidence for a change, and the changes to its base since.

const minutes = 60_000

/** A version of a document with its text: the quoted one, or the current one. */
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

/** The items that one read returned, and the changes to them since. */
export const receiptQuery = ({ organization, client }: Session, handle: string, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'receipts', id],
    queryFn: ({ signal }) => client.brain(handle).receipts.get(id, { signal }),
  })

type Target = { type: string; id: string }
type Thing = Readonly<Record<string, unknown>> & { version: number }

/** The current version of a change's subject; null if it no longer exists. */
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
