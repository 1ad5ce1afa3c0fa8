import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { Icon } from '../components/icon.tsx'
import { readReach, subscribeToReach } from '../parts/reach.ts'

const words = { offline: 'You are offline', unreachable: 'Cannot reach the server' } as const

/** One line for the whole console while the service does not answer. It disappears by itself, and what failed is loaded again. */
export const ReachLine = () => {
  const reach = useSyncExternalStore(subscribeToReach, readReach)
  const queries = useQueryClient()
  useEffect(() => {
    if (reach === 'reached') void queries.invalidateQueries({ predicate: ({ state }) => state.error !== null })
  }, [reach, queries])
  return (
    <div className="reach-line" role="status">
      {reach !== 'reached' && (
        <>
          <Icon name="warning" />
          <span>
            {words[reach]}
            <span className="reach-hint">. Trying again…</span>
          </span>
        </>
      )}
    </div>
  )
}
