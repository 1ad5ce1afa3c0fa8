import { listThings, type Things } from '../../data/things.ts'

const maxShown = 20

/** What ended, or goes on, by sort. Nothing where there is nothing. */
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
