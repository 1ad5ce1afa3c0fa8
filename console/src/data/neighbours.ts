import type { NeighbourRecord, Relation } from '@noema/contracts/neighbours.ts'
import { NotFoundError } from '@noema/sdk/errors.ts'
import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { namingFields } from './record-text.ts'

/** The loaded neighborhood of one record. */
export type Reading = { records: readonly NeighbourRecord[]; relations: readonly Relation[] }

type Around = { depth: number; perRecord: number; asOf?: number | undefined }

/** A search result may have been deleted by now. */
const toMissing = (id: string): Reading => ({
  records: [{ id, kind: null, slug: null, version: null, fields: {}, distance: 0, hidden: 0, hasMore: false }],
  relations: [],
})

/** The records around one, by name; only itself if no such record exists. */
export const neighboursQuery = (
  { organization, client }: Session,
  { handle, id }: { handle: string; id: string },
  around: Around,
) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'records', 'neighbours', id, around],
    queryFn: async ({ signal }): Promise<Reading> => {
      const query = { ...around, select: namingFields }
      try {
        return await client.brain(handle).records.neighbours(id, query, { signal })
      } catch (error) {
        if (error instanceof NotFoundError) return toMissing(id)
        throw error
      }
    },
    staleTime: 30_000,
  })
