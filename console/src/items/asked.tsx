import '../styles/runs.css'
import { Link } from '@tanstack/react-router'
import { Link as ItemLink } from '../address.tsx'
import { Json } from '../components/json.tsx'
import { Markdown } from '../components/markdown.tsx'
import { itemPath } from '../data/item-paths.ts'
import { type Firing, readAsked } from '../data/questions.ts'

const FiringView = ({ firing: { trigger, brain, event, item, kind, expected, json } }: { firing: Firing }) => (
  <div className="asked">
    {expected !== undefined && <Markdown text={expected} />}
    <p className="muted">
      Trigger <strong>{trigger}</strong>: {event}
      {item && (
        <>
          {' '}
          <ItemLink to={itemPath(brain, item)}>
            {kind !== undefined && kind !== item.type && `${kind} `}
            {item.id}
          </ItemLink>
        </>
      )}{' '}
      in{' '}
      <Link to="/brains/$handle" params={{ handle: brain }}>
        {brain}
      </Link>
    </p>
    <details className="message-aside">
      <summary>The event</summary>
      <Json label="Event" value={JSON.parse(json)} depth={2} />
    </details>
  </div>
)

/** A question. The prompt of a trigger is shown in parts, not as it was written for the model. */
export const AskedText = ({ text }: { text: string }) => {
  const { before, firing } = readAsked(text)
  return (
    <>
      {before !== '' && <Markdown text={before} />}
      {firing && <FiringView firing={firing} />}
    </>
  )
}
