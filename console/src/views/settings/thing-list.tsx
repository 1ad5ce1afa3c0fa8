import { listThings, type Things } from '../../data/things.ts'

const maxShown = 20

/** A list of items by type; nothing if it is empty. */
export const ThingList = ({ things }: { things: Things }) => (
  <dl className="thing-list">
    {listThings(things).map(({ title, names }) => (
      <div key={title}>
        <dt>
          {title} <span className="muted">{names.length}</span>
        </dt>
        <dd>
          {names.slice(0, maxShown).join(', ')}
          {names.length > maxShown && ` and ${names.length - maxShown} others`}
        </dd>
      </div>
    ))}
  </dl>
)
