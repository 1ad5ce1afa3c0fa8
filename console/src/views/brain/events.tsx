import { isEventType } from '@noema/sdk/event-types.ts'
import { useParams } from '@tanstack/react-router'
import { navigate, useLocation, withQuery } from '../../address.tsx'
import { LiveStream } from '../../stream/live-stream.tsx'
import { TypeFilter } from '../../stream/type-filter.tsx'

/** The whole live stream of a Brain, filtered by type. */
export const BrainEvents = () => {
  const { handle } = useParams({ from: '/brains/$handle' })
  const { search } = useLocation()
  const types = (search.get('types') ?? '').split(',').filter(isEventType)
  const choose = (chosen: readonly string[]) =>
    navigate(withQuery({ types: chosen.length > 0 ? chosen.join(',') : undefined }), { replace: true })
  return (
    <LiveStream
      handle={handle}
      types={types}
      after={search.get('after') ?? undefined}
      filter={<TypeFilter chosen={types} onChange={choose} />}
      empty={
        <p>
          {types.length > 0
            ? 'No event of these types yet.'
            : 'No events yet. Write something, and its event appears here.'}
        </p>
      }
    />
  )
}
