import { useParams } from '@tanstack/react-router'
import { navigate, useLocation, withQuery } from '../../address.tsx'
import { BrainStream } from './brain-stream.tsx'

/** The whole live stream of a Brain, filtered by type. */
export const BrainEvents = () => {
  const { handle } = useParams({ from: '/brains/$handle' })
  const { search } = useLocation()
  return (
    <BrainStream
      handle={handle}
      types={search.get('types')}
      onTypes={(types) => navigate(withQuery({ types }), { replace: true })}
      after={search.get('after') ?? undefined}
    />
  )
}
