import { type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { neighboursQuery, type Reading } from '../../data/neighbours.ts'
import { useSession } from '../../session/session.tsx'
import { addReading, emptyGraph } from './neighbourhood.ts'

/** The number of neighbors of one record that are shown at first, and added by each request. */
const maxAtFirst = 24
const maxMore = 50
/** The number of neighbors that are loaded to show more: the service's maximum for one record. */
const maxRead = 250

/** `start`: what the graph starts with, in place of the neighbors of seeds. */
type Around = {
  handle: string
  seeds: readonly string[]
  start?: Reading | undefined
  depth: number
  asOf?: number | undefined
}

/** The expanded nodes of a graph. */
type Opened = { key: string; readings: readonly Reading[]; error: unknown }

const combine = (answers: readonly UseQueryResult<Reading>[]) => ({
  graph: answers.reduce((graph, { data }) => (data ? addReading(graph, data) : graph), emptyGraph),
  isGrowing: answers.some(({ isPending }) => isPending),
  error: answers.find(({ error }) => error !== null)?.error ?? undefined,
})

/** The graph around some records, and a function to expand one of its nodes. */
export const useNeighbourhood = ({ handle, seeds, start, depth, asOf }: Around) => {
  const session = useSession()
  const cache = useQueryClient()
  const key = JSON.stringify([handle, seeds, depth, asOf])
  const [state, setOpened] = useState<Opened>()
  const opened = state?.key === key ? state : undefined
  const read = useQueries({
    queries: seeds.map((id) => neighboursQuery(session, { handle, id }, { depth, perRecord: maxAtFirst, asOf })),
    combine,
  })
  const first = useMemo(() => (start ? addReading(emptyGraph, start) : read.graph), [start, read.graph])
  const graph = useMemo(
    () => (opened?.readings ?? []).reduce((grown, reading) => addReading(grown, reading, maxMore), first),
    [first, opened],
  )
  const open = async (id: string) => {
    const readings = opened?.readings ?? []
    try {
      const around = { depth: 1, perRecord: maxRead, asOf }
      const reading = await cache.fetchQuery(neighboursQuery(session, { handle, id }, around))
      setOpened({ key, readings: [...readings, reading], error: undefined })
    } catch (error) {
      setOpened({ key, readings, error })
    }
  }
  return { graph, isGrowing: read.isGrowing, error: opened?.error ?? read.error, open }
}
