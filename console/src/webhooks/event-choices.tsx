import '../styles/webhooks.css'
import { Checkbox } from '../components/choices.tsx'

type EventChoicesProps<Event extends string> = {
  events: readonly Event[]
  chosen: readonly Event[]
  onChange: (chosen: Event[]) => void
  /** Explains an empty choice. */
  hint: string
}

/** The events that are sent to a webhook. */
export const EventChoices = <Event extends string>({ events, chosen, onChange, hint }: EventChoicesProps<Event>) => (
  <fieldset className="event-choices">
    <legend>Events</legend>
    <p className="hint">{hint}</p>
    <div>
      {events.map((event) => (
        <Checkbox
          key={event}
          label={<code>{event}</code>}
          checked={chosen.includes(event)}
          onChange={(isOn) => onChange(events.filter((one) => (one === event ? isOn : chosen.includes(one))))}
        />
      ))}
    </div>
  </fieldset>
)
