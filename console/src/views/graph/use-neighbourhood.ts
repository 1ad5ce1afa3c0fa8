import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useSession } from '../../session/session.tsx'
import { addReading, type Neighbourhood, plantSeeds, type Reading } from './neighbourhood.ts'
import { grow, readNeighbours } from './read-neighbours.ts'

/** How many neighbours of one record are shown at first, and how many more each time that they are asked for. */
const maxAtFirst = 24
const maxMore = 50

type Around = { handle: string; seeds: readonly string[]; depth: number; asOf?: number | undefined }

type State = { graph: Neighbourhood; isGrowing: boolean; error: unknown }

/** Reads a record's neighbours through the cache, so that going back to a graph reads nothing again. */
const useReader = (handle: string, asOf: number | undefined) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  return useCallback(
    async (id: string): Promise<Reading | undefined> => {
      const reading = await cache.fetchQuery({
        queryKey: [organization.id, 'brain', handle, 'records', 'neighbours', id, asOf],
        // A query has to give something, also for a record that nobody has.
        queryFn: async ({ signal }) => (await readNeighbours(client.brain(handle), id, { asOf, signal })) ?? null,
        staleTime: 30_000,
      })
      return reading ?? undefined
    },
    [cache, client, organization.id, handle, asOf],
  )
}

/** The graph around some records, as it grows, and how to open one of its nodes further. */
export const useNeighbourhood = ({ handle, seeds, depth, asOf }: Around) => {
  const read = useReader(handle, asOf)
  const [state, setState] = useState<State>({ graph: plantSeeds(seeds), isGrowing: true, error: undefined })
  const wanted = seeds.join(' ')

  // biome-ignore lint/correctness/useExhaustiveDependencies: `wanted` is the content of `seeds`
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const follow = async () => {
      let graph = plantSeeds(seeds)
      setState({ graph, isGrowing: true, error: undefined })
      for await (graph of grow(graph, read, { depth, maxNeighbours: maxAtFirst, signal })) {
        if (signal.aborted) return
        const grown = graph
        setState((before) => ({ ...before, graph: grown }))
      }
      if (!signal.aborted) setState((before) => ({ ...before, isGrowing: false }))
    }
    follow().catch((error: unknown) => signal.aborted || setState((before) => ({ ...before, isGrowing: false, error })))
    return () => controller.abort()
  }, [read, wanted, depth])

  const open = useCallback(
    async (id: string) => {
      try {
        const reading = await read(id)
        if (reading) setState((before) => ({ ...before, graph: addReading(before.graph, reading, maxMore) }))
      } catch (error) {
        setState((before) => ({ ...before, error }))
      }
    },
    [read],
  )
  return { ...state, open }
}
