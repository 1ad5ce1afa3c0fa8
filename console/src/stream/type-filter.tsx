import { type EventType, eventTypes } from '@noema/contracts/event-types.ts'
import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Closes the open list on Escape and on a click outside it. */
const useClosing = (list: RefObject<HTMLDetailsElement | null>) => {
  useLayoutEffect(() => {
    const close = (event: PointerEvent | KeyboardEvent) => {
      const { current } = list
      if (!current?.open) return
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return
        current.querySelector('summary')?.focus()
      } else if (event.target instanceof Node && current.contains(event.target)) return
      current.open = false
    }
    document.addEventListener('pointerdown', close)
    document.addEventListener('keydown', close)
    return () => {
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('keydown', close)
    }
  }, [list])
}

type TypeFilterProps = { chosen: readonly EventType[]; onChange: (types: EventType[]) => void }

/** The event types that the stream shows; none chosen means all. */
export const TypeFilter = ({ chosen, onChange }: TypeFilterProps) => {
  const list = useRef<HTMLDetailsElement>(null)
  useClosing(list)
  const toggle = (type: EventType) =>
    onChange(eventTypes.filter((one) => (one === type ? !chosen.includes(one) : chosen.includes(one))))
  return (
    <details className="type-filter" ref={list}>
      <summary className="button small">{chosen.length === 0 ? 'All types' : `Types: ${chosen.length}`}</summary>
      <fieldset>
        <legend>Event types</legend>
        {eventTypes.map((type) => (
          <label key={type}>
            <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
            {type}
          </label>
        ))}
        <button type="button" className="button small" onClick={() => onChange([])} disabled={chosen.length === 0}>
          Show all types
        </button>
      </fieldset>
    </details>
  )
}
