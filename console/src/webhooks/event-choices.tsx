import '../styles/webhooks.css'
import { Checkbox } from '../components/choices.tsx'

type EventChoicesProps<Event extends string> = {
  /** Every event that there is. */
  events: readonly Event[]
  chosen: readonly Event[]
  onChange: (chosen: Event[]) => void
  /** What it means that none is ticked. */
  hint: string
}

/** Which events a webhook is sent: any number of those that there are. */
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
