import { type EventType, eventTypes } from '@noema/contracts/events.ts'

type TypeFilterProps = { chosen: readonly EventType[]; onChange: (types: EventType[]) => void }

/** Which event types the stream shows; none chosen means all. */
export const TypeFilter = ({ chosen, onChange }: TypeFilterProps) => {
  const toggle = (type: EventType) =>
    onChange(eventTypes.filter((one) => (one === type ? !chosen.includes(one) : chosen.includes(one))))
  return (
    <details className="type-filter">
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
