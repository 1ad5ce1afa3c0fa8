import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Icon } from '../components/icon.tsx'
import { useObservable } from '../observable.ts'
import { reach } from '../parts/reach.ts'

const words = { offline: 'You are offline', unreachable: 'Cannot reach the server' } as const

/** One line for the whole console while the service does not answer. It disappears by itself, and what failed is loaded again. */
export const ReachLine = () => {
  const current = useObservable(reach)
  const queries = useQueryClient()
  useEffect(() => {
    if (current === 'reached') void queries.invalidateQueries({ predicate: ({ state }) => state.error !== null })
  }, [current, queries])
  return (
    <div className="reach-line" role="status">
      {current !== 'reached' && (
        <>
          <Icon name="warning" />
          <span>
            {words[current]}
            <span className="reach-hint">. Trying again…</span>
          </span>
        </>
      )}
    </div>
  )
}
