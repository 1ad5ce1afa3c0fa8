import type { BrainEvent } from '@noema/contracts/events.ts'
import { memo, useCallback, useState } from 'react'
import { CopyButton } from '../components/copy-button.tsx'
import { Icon } from '../components/icon.tsx'
import { Json } from '../components/json.tsx'
import { FailureNotice } from '../components/notice.tsx'
import { Time } from '../components/time.tsx'
import { useLoaded } from '../components/use-loaded.ts'
import { ItemLinks } from '../items/item-links.tsx'
import { useSession } from '../session/session.tsx'
import { toEventAddress, toFamily, toItemRef } from './event-address.ts'

/** The current record or document: an event has only its id. */
const Addressed = ({ event, handle }: { event: BrainEvent; handle: string }) => {
  const { client } = useSession()
  const load = useCallback(
    async (signal: AbortSignal): Promise<unknown> => {
      const brain = client.brain(handle)
      if (event.type === 'record.accepted')
        return (await brain.records.get(event.data.record.id, {}, { signal })).record
      if (event.type === 'document.served')
        return (await brain.documents.get(event.data.document.id, {}, { signal })).document
      return undefined
    },
    [client, handle, event],
  )
  const { data, error } = useLoaded(load)
  if (error !== undefined) return <FailureNotice error={error} />
  return data === undefined ? null : <Json label="Current target" value={data} />
}

type EventRowProps = {
  event: BrainEvent
  handle: string
  /** True of an event that arrived almost alone: a person can see which it is. */
  isMarked: boolean
}

/** One event: type, target and time; expanded, the event itself and its target. An event never changes. */
export const EventRow = memo(({ event, handle, isMarked }: EventRowProps) => {
  const [isOpen, setOpen] = useState(false)
  const [marked] = useState(isMarked)
  const { kind, id, detail } = toEventAddress(event)
  const item = toItemRef(event)
  return (
    <li className="event" data-marked={marked} data-family={toFamily(event.type)}>
      <div className="event-line">
        <button type="button" className="event-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="chevron" />
          <span className="event-type">{event.type}</span>
          <span className="event-address">
            {kind && <span className="event-kind">{kind} </span>}
            <code>{id}</code>
          </span>
          <span className="event-detail">{detail}</span>
        </button>
        <span className="event-time">
          <Time iso={event.occurredAt} />
        </span>
        <CopyButton text={event.cursor} what="the cursor" isQuiet />
      </div>
      {isOpen && (
        <div className="event-body">
          <Json label="The event" value={event} />
          <Addressed event={event} handle={handle} />
          {item && <ItemLinks handle={handle} item={item} />}
        </div>
      )}
    </li>
  )
})
