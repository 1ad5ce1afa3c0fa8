import { focusManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { useSession } from '../session/session.tsx'
import { createStaleGatherer, everyKind } from './live.ts'

const subscribeToFocus = (listener: () => void) => focusManager.subscribe(listener)

type Place = { organizationId: string; handle: string }

/** Reloads the queries that a Brain's events made stale: those of the Brain, and the organization's lists of changes. */
const invalidate = (queries: QueryClient, { organizationId, handle }: Place, stale: readonly string[]) => {
  for (const kind of stale) void queries.invalidateQueries({ queryKey: [organizationId, 'brain', handle, kind] })
  if (!stale.includes('changes')) return
  for (const area of ['changes', 'waiting']) void queries.invalidateQueries({ queryKey: [organizationId, area] })
}

/** Reloads the queries that were answered before a moment. Running ones are newer. */
const invalidateOlder = (queries: QueryClient, { organizationId, handle }: Place, than: number) => {
  for (const kind of everyKind)
    void queries.invalidateQueries({
      queryKey: [organizationId, 'brain', handle, kind],
      predicate: ({ state }) => state.fetchStatus === 'idle' && state.data !== undefined && state.dataUpdatedAt < than,
    })
}

/**
 * Follows the open Brain while the page is visible, and keeps the shown data fresh. A hidden page closes its connection and
 * resumes later. The start position is requested before any data of the page, so that no write is missed in between.
 */
export const LiveBrain = ({ handle }: { handle: string }) => {
  const { organization, client } = useSession()
  const queries = useQueryClient()
  const isSeen = useSyncExternalStore(subscribeToFocus, () => focusManager.isFocused())
  const position = useRef<{ of: string; cursor: string }>(undefined)
  useLayoutEffect(() => {
    if (!isSeen) return
    const controller = new AbortController()
    const { signal } = controller
    const of = `${organization.id} ${handle}`
    const brain = { organizationId: organization.id, handle }
    const gatherer = createStaleGatherer((stale) => invalidate(queries, brain, stale))
    const { events } = client.brain(handle)
    const begin = async () => {
      const asked = Date.now()
      const { cursor } = await events.list({ newest: 0 }, { signal })
      invalidateOlder(queries, brain, asked)
      return { of, cursor }
    }
    const follow = async () => {
      if (position.current?.of !== of) position.current = await begin()
      for await (const { type, cursor } of events.follow({ after: position.current.cursor, signal })) {
        position.current = { of, cursor }
        gatherer.take(type)
      }
    }
    // The page reports a Brain that the person cannot read, or that no longer exists.
    follow().catch(() => {
      if (!signal.aborted && position.current?.of === of) invalidate(queries, brain, everyKind)
    })
    return () => {
      controller.abort()
      gatherer.stop()
    }
  }, [handle, isSeen, organization.id, client, queries])
  return null
}
