import type { EventType } from '@noema/contracts/event-types.ts'
import type { ReactNode } from 'react'
import { baseUrl } from '../base-path.ts'
import { followCode } from '../code/examples.ts'
import { ViewAsCode } from '../components/code.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Icon } from '../components/icon.tsx'
import { FailureNotice } from '../components/notice.tsx'
import { plural } from '../plural.ts'
import { useSession } from '../session/session.tsx'
import { EventRow } from './event-row.tsx'
import { maxShown } from './stream-state.ts'
import { type Connection, useEventStream } from './use-event-stream.ts'

const connectionNames: Record<Connection, string> = {
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
  failed: 'Stopped',
}

type Stream = ReturnType<typeof useEventStream>

const StreamHead = ({ stream, filter }: { stream: Stream; filter: ReactNode }) => {
  const { connection, isPaused, waiting, dispatch } = stream
  return (
    <div className="stream-head">
      <h2>Live events</h2>
      <span className="connection" data-connection={isPaused ? 'paused' : connection}>
        {isPaused ? 'Paused' : connectionNames[connection]}
      </span>
      <span className="spread" />
      {isPaused && waiting.length > 0 && (
        <button type="button" className="button small new-events" onClick={() => dispatch({ do: 'show waiting' })}>
          {waiting.length >= maxShown ? `${maxShown}+` : waiting.length} new
        </button>
      )}
      {filter}
      <button type="button" className="button small" onClick={() => dispatch({ do: isPaused ? 'resume' : 'pause' })}>
        <Icon name={isPaused ? 'play' : 'pause'} />
        <span className="steady">{isPaused ? 'Resume' : 'Pause'}</span>
      </button>
    </div>
  )
}

/** The most events that are marked as new together: many marks say nothing, and each costs frames. */
const maxMarked = 10

type LiveStreamProps = {
  handle: string
  types?: readonly EventType[]
  after?: string | undefined
  filter?: ReactNode
  /** Shown while no event has occurred. */
  empty: ReactNode
}

/** A Brain's live events, newest on top. Screen readers do not announce them: a busy stream would interrupt all the time. */
export const LiveStream = ({ handle, types = [], after, filter, empty }: LiveStreamProps) => {
  const { organization } = useSession()
  const stream = useEventStream({ organizationId: organization.id, handle, types, after })
  const { shown, count, cursor, arrived, error } = stream
  return (
    <section className="stream" id="live-events" aria-label="Live events">
      <StreamHead stream={stream} filter={filter} />
      {error !== undefined && <FailureNotice error={error} />}
      {shown.length === 0 ? (
        error === undefined && <div className="empty">{empty}</div>
      ) : (
        <ol className="events">
          {shown.map((event) => (
            <EventRow key={event.cursor} event={event} handle={handle} isMarked={arrived <= maxMarked} />
          ))}
        </ol>
      )}
      <div className="stream-foot">
        <span>
          {plural(count, 'event')}
          {count > maxShown && `, the newest ${maxShown} shown`}
        </span>
        {cursor !== undefined && (
          <span className="cursor">
            Cursor <code>{cursor}</code>
            <CopyButton text={cursor} what="the newest cursor" isQuiet />
          </span>
        )}
      </div>
      <ViewAsCode example={followCode({ baseUrl, handle }, { types, after })} />
    </section>
  )
}
