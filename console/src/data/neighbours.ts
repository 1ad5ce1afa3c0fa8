import type { NeighbourRecord, Relation } from '@noema/contracts/neighbours.ts'
import type { BrainClient } from '@noema/sdk'
import { NotFoundError } from '@noema/sdk/errors.ts'
import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { chooseConnected } from './most-connected.ts'
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

/** The number of records, and of statements, that the start of a graph is chosen from. */
const maxRead = 2_000

/** Reads a list page by page, as far as the limit. */
const readSome = async <Row>(
  read: (page: {
    after: string | undefined
    limit: number
  }) => Promise<{ rows: Row[]; cursor: string; hasMore: boolean }>,
): Promise<{ rows: Row[]; isAll: boolean }> => {
  const rows: Row[] = []
  let after: string | undefined
  while (rows.length < maxRead) {
    const page = await read({ after, limit: 500 })
    rows.push(...page.rows)
    if (!page.hasMore) return { rows, isAll: true }
    after = page.cursor
  }
  return { rows, isAll: false }
}

const readStart = async (brain: BrainClient, signal: AbortSignal) => {
  const [records, statements] = await Promise.all([
    readSome(async (page) => {
      const { records: rows, cursor, hasMore } = await brain.records.list(page, { signal })
      return { rows, cursor, hasMore }
    }),
    readSome(async (page) => {
      const { statements: rows, cursor, hasMore } = await brain.statements.list(page, { signal })
      return { rows, cursor, hasMore }
    }),
  ])
  return chooseConnected({
    records: records.rows,
    statements: statements.rows,
    isAll: records.isAll && statements.isAll,
  })
}

/** The records of a Brain that its graph starts with. The graph does not follow each write: it would never be still. */
export const graphStartQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'graph-start'],
    queryFn: ({ signal }) => readStart(client.brain(handle), signal),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
