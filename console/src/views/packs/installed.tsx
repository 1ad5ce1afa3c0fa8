import type { InstalledItem } from '@noema/contracts/packs.ts'
import { Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'

type ItemProps = { brain: string; item: InstalledItem }

/** An installed item, with a link to it. */
const Item = ({ brain, item: { type, name, id, change } }: ItemProps) => {
  if (type === 'brain')
    return (
      <Link to="/brains/$handle" params={{ handle: brain }}>
        {name}
      </Link>
    )
  if (type === 'agent' && id !== undefined)
    return (
      <Link to="/agents/$id" params={{ id }}>
        {name}
      </Link>
    )
  if (type === 'trigger' && id !== undefined)
    return (
      <Link to="/automations/triggers/$id" params={{ id }}>
        {name}
      </Link>
    )
  if (type === 'eval' && id !== undefined)
    return (
      <Link to="/evals" search={{ open: id }}>
        {name}
      </Link>
    )
  if (type === 'rubric')
    return (
      <Link to="/evals" search={{ open: `rubric_${name}` }}>
        {name}
      </Link>
    )
  if (change !== undefined)
    return (
      <Link to="/brains/$handle/changes/$id" params={{ handle: brain, id: change }}>
        {type === 'schema' ? 'its kinds' : 'its sample content'}
      </Link>
    )
  return <span>{type === 'schema' ? 'its kinds' : name}</span>
}

const outcomes = {
  created: { tone: 'good', label: 'made' },
  updated: { tone: 'good', label: 'next version' },
  staged: { tone: 'warning', label: 'waits for review' },
  present: { tone: 'neutral', label: 'was there' },
} as const satisfies Record<InstalledItem['outcome'], object>

type InstalledProps = { brain: string; items: readonly InstalledItem[]; onClose: () => void }

/** The result of an install, item by item. */
export const Installed = ({ brain, items, onClose }: InstalledProps) => (
  <div className="form">
    <ul className="lines">
      {items.map((item) => (
        <li key={`${item.type} ${item.name}`}>
          <span className="line-main">
            <Item brain={brain} item={item} />
            <span className="muted">{item.type}</span>
          </span>
          <Status state={item.outcome} {...outcomes[item.outcome]} />
        </li>
      ))}
    </ul>
    <div className="dialog-foot">
      <Button tone="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </div>
)
