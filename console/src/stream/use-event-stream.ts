import type { EventType } from '@noema/contracts/event-types.ts'
import type { BrainEvent } from '@noema/contracts/events.ts'
import { createClient } from '@noema/sdk'
import { useEffect, useReducer, useRef, useState } from 'react'
import { baseUrl } from '../base-path.ts'
import { reachingFetch } from '../parts/reach.ts'
import { createBatcher } from './batcher.ts'
import { emptyStream, nextStream } from './stream-state.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'failed'

type Following = { organizationId: string; handle: string; types: readonly EventType[]; after: string | undefined }

/** A few paints a second at most, and the first event of a quiet stream at once. */
const pace = { first: 50, next: 400 }

/** A client that also reports the state of its connection. */
const watchedClient = (organizationId: string, notify: (connection: Connection) => void) =>
  createClient({
    baseUrl,
    headers: { 'x-organization-id': organizationId },
    fetch: async (input, init) => {
      const response = await reachingFetch(input, init)
      if (response.ok) notify('live')
      return response
    },
    logger: { debug: () => {}, warn: () => notify('reconnecting') },
  })

// A browser allows six connections to one host over all its tabs, so a hidden page closes its own.
const usePageIsVisible = (): boolean => {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const look = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}

/** Follows a Brain's events while the component is shown and the page is visible, without gaps. */
export const useEventStream = ({ organizationId, handle, types, after }: Following) => {
  const [state, dispatch] = useReducer(nextStream, emptyStream)
  const [connection, setConnection] = useState<Connection>('connecting')
  const [error, setError] = useState<unknown>(undefined)
  const isVisible = usePageIsVisible()
  const position = useRef(after)
  const typeList = types.join(',')

  // Another Brain, filter or start is another stream. This effect must come before the one that opens it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of any of these starts over
  useEffect(() => {
    position.current = after
    dispatch({ do: 'empty' })
  }, [organizationId, handle, typeList, after])

  // biome-ignore lint/correctness/useExhaustiveDependencies: `typeList` is the content of `types`, and `after` sets the position
  useEffect(() => {
    if (!isVisible) return
    const controller = new AbortController()
    const { signal } = controller
    const batcher = createBatcher<BrainEvent>((events) => dispatch({ do: 'add', events }), pace)
    setConnection('connecting')
    setError(undefined)
    const { events } = watchedClient(organizationId, (connection) => signal.aborted || setConnection(connection)).brain(
      handle,
    )
    const follow = async () => {
      for await (const event of events.follow({
        after: position.current,
        types: types.length > 0 ? types : undefined,
        signal,
      })) {
        if (signal.aborted) return
        position.current = event.cursor
        batcher.take(event)
      }
    }
    follow().catch((failure: unknown) => {
      if (signal.aborted) return
      setConnection('failed')
      setError(failure)
    })
    return () => {
      controller.abort()
      batcher.stop()
    }
  }, [organizationId, handle, typeList, after, isVisible])

  return { ...state, dispatch, connection, error }
}
