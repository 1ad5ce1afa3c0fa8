import { isEventType } from '@noema/sdk/event-types.ts'
import { LiveStream } from '../../stream/live-stream.tsx'
import { TypeFilter } from '../../stream/type-filter.tsx'

type BrainStreamProps = {
  handle: string
  /** Types as in the URL, separated by commas. */
  types: string | null | undefined
  onTypes: (types: string | undefined) => void
  /** The cursor after which the stream starts; without one, at the first event. */
  after: string | undefined
}

/** The live stream of a Brain, filtered by the types in the URL. */
export const BrainStream = ({ handle, types: given, onTypes, after }: BrainStreamProps) => {
  const types = (given ?? '').split(',').filter(isEventType)
  return (
    <LiveStream
      handle={handle}
      types={types}
      after={after}
      filter={<TypeFilter chosen={types} onChange={(chosen) => onTypes(chosen.join(',') || undefined)} />}
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
