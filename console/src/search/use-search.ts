import type { BrainClient, Client } from '@noema/sdk'
import { useCallback, useRef } from 'react'
import { useLoaded } from '../components/use-loaded.ts'
import { type SearchParams, toSearchQuery } from './search-params.ts'

/** A response with the query that it answers. */
export type Found = {
  params: SearchParams
  answer: Awaited<ReturnType<BrainClient['search']>>
  /** The duration, as measured by the page. */
  milliseconds: number
}
export type Hit = Found['answer']['results'][number]

// A person who opens a result and comes back finds the list unchanged, at once and without another receipt. The list is dropped
// with the client, which holds the key.
const left = new WeakMap<Client, { asked: string; found: Found }>()

/** Searches whenever `params` change. The last response stays until the next one; an outdated one is dropped. */
export const useSearch = (client: Client, handle: string, params: SearchParams) => {
  const isBack = useRef(true)
  const load = useCallback(
    async (signal: AbortSignal): Promise<Found | undefined> => {
      const asked = JSON.stringify([handle, params])
      const mayBeLeft = isBack.current
      isBack.current = false
      if (params.q === '') return undefined
      const before = left.get(client)
      if (mayBeLeft && before?.asked === asked) return before.found
      const query = { ...toSearchQuery(params), consumerId: 'noema-console' }
      const began = performance.now()
      const answer = await client.brain(handle).search(query, { signal })
      const found = { params, answer, milliseconds: Math.round(performance.now() - began) }
      left.set(client, { asked, found })
      return found
    },
    [client, handle, params],
  )
  return useLoaded(load)
}
