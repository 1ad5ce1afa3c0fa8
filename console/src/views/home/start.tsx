import { useState } from 'react'
import { useLocation } from '../../address.tsx'
import { Mark } from '../../components/mark.tsx'
import { LiveStream } from '../../stream/live-stream.tsx'
import { LinkOutcome } from '../entry/link-outcome.tsx'
import { AccountStep } from './account-step.tsx'
import { BrainStep } from './brain-step.tsx'
import { KeyStep } from './key-step.tsx'
import { WriteStep, type Written } from './write-step.tsx'

const StreamToCome = () => (
  <section className="stream to-come" aria-label="Live events">
    <div className="stream-head">
      <h2>Live events</h2>
    </div>
    <div className="empty">
      <Mark size={36} />
      <p>Every write becomes an event of its Brain’s one ordered stream.</p>
      <p className="small">The stream appears here once you have a Brain.</p>
    </div>
  </section>
)

/** The first run: the steps from an account to a first live event, on one page. */
export const Start = () => {
  const { search } = useLocation()
  const [written, setWritten] = useState<Written>()
  const handle = search.get('brain') ?? undefined
  return (
    <div className="page start">
      <div className="page-head">
        <h1>Your first event</h1>
        <p className="lead">Four steps, a minute or two. Each step shows its API call, ready to use in your code.</p>
      </div>
      <LinkOutcome />
      <div className="start-columns">
        <ol className="steps">
          <AccountStep />
          <BrainStep handle={handle} />
          <KeyStep key={handle} handle={handle} />
          <WriteStep handle={handle} written={written} onWritten={setWritten} />
        </ol>
        {handle !== undefined ? (
          <LiveStream
            handle={handle}
            empty={
              <>
                <p>
                  Listening to <strong>{handle}</strong>.
                </p>
                <p className="small">Write something, and its event appears here.</p>
              </>
            }
          />
        ) : (
          <StreamToCome />
        )}
      </div>
    </div>
  )
}
