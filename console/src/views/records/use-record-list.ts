import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaField } from '@noema/contracts/schema-kinds.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { brainQuery } from '../../data/brains.ts'
import { createUnpacking, joinPages } from '../../data/packed-pages.ts'
import { toFilter } from '../../data/record-filter.ts'
import { toSortedWhere } from '../../data/record-sort.ts'
import { type RecordPage, recordPagesQuery } from '../../data/records.ts'
import type { RecordsSearch } from '../../data/records-search.ts'
import { useSession } from '../../session/session.tsx'

const nothing: readonly RecordPage[] = []
const noRecords: readonly BrainRecord[] = []

/** The loaded records for the URL, and whether the Brain has changed since. */
export const useRecordList = (handle: string, search: RecordsSearch, sortField: SchemaField | undefined) => {
  const session = useSession()
  const cache = useQueryClient()
  const brain = useQuery(brainQuery(session, handle))
  const { kind, slug, linksTo, predicate, where, asOf, order } = search
  const options = useMemo(() => {
    const filter = toFilter({ kind, slug, linksTo, predicate, where, asOf })
    const sorted = { ...filter, where: toSortedWhere(sortField, filter.where) }
    return recordPagesQuery(session, handle, sorted, order ?? 'asc')
  }, [session, handle, kind, slug, linksTo, predicate, where, asOf, order, sortField])
  const query = useInfiniteQuery(options)
  const { data } = query
  const [{ unpack, find }] = useState(createUnpacking<BrainRecord>)
  const pages = data?.pages ?? nothing
  const records = useMemo(
    () =>
      joinPages(
        pages.map((page) => page.records),
        unpack,
      ),
    [unpack, pages],
  )
  const [first] = pages
  const firstRecords = useMemo(() => (first ? unpack(first.records) : noRecords), [unpack, first])
  const read = first?.stateVersion
  const current = brain.data?.brain.stateVersion
  const hasMoved = asOf === undefined && read !== undefined && current !== undefined && current > read
  const isShort = data?.pages.length === 1
  const { queryKey } = options
  // A list of one page is reloaded at once. A longer list waits for a click, because it starts over.
  useEffect(() => {
    if (hasMoved && isShort) void cache.invalidateQueries({ queryKey })
  }, [cache, queryKey, hasMoved, isShort])
  return {
    query,
    records,
    /** The state of the first page. */
    stateVersion: read,
    /** The rows of the first page, which stay the same while others load. */
    firstRecords,
    /** A record that is on the screen or near it. */
    findShown: (id: string) => find((record) => record.id === id),
    hasMoved: hasMoved && !isShort,
    readAgain: () => void cache.resetQueries({ queryKey }),
  }
}
