import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import type { ChangeDetail, ChangeItem } from '../../data/changes.ts'
import { useRecordNames } from '../../data/item-names.ts'
import { EditFields } from './edit-fields.tsx'
import { Evidence, Staleness } from './evidence.tsx'
import { renderValue } from './field-value.tsx'
import { Findings } from './findings.tsx'
import { describeFlag, describeItem, listNamedRecords, nameTarget, toCompared, toEditable } from './item-fields.ts'
import type { Review } from './use-review.ts'

type ItemProps = { handle: string; change: ChangeDetail; item: ChangeItem; index: number; review: Review }

const TargetLink = ({ handle, item, name }: { handle: string; item: ChangeItem; name: string }) => {
  const { type, id } = item.target
  if (item.before === null || type === 'schema') return <strong>{name}</strong>
  const params = { handle, id }
  if (type === 'record')
    return (
      <Link to="/brains/$handle/records/$id" params={params}>
        {name}
      </Link>
    )
  const to = type === 'statement' ? '/brains/$handle/statements/$id' : '/brains/$handle/documents/$id'
  return (
    <Link to={to} params={params}>
      {name}
    </Link>
  )
}

/** The effect of a schema change on existing records. */
const SchemaEffect = ({ item }: { item: ChangeItem }) => {
  if (item.target.type !== 'schema') return null
  const { tag, violations = 0, violationsAtLeast } = item
  if (tag !== 'strengthening') return <p>It accepts more than before. All current records still comply.</p>
  return (
    <p>
      It is stricter than before.{' '}
      {violations === 0
        ? 'All current records comply.'
        : `${violationsAtLeast ? 'At least ' : ''}${violations} current records would not comply.`}
    </p>
  )
}

type BodyProps = ItemProps & { nameRecord: (id: string) => string }

const Body = ({ handle, change, item, review, nameRecord }: BodyProps) => {
  const { type } = item.target
  const edited = review.edits[item.item]
  const after = edited && item.after ? { ...item.after, fields: { ...toEditable(item), ...edited } } : item.after
  const editable = toEditable(item)
  const isMoved = change.outdated || change.conflicts.includes(item.item)
  return (
    <div className="change-item-body" data-new={item.before === null || undefined}>
      {item.cut && <p className="muted">Too long to be shown here. Open the {type} itself.</p>}
      {review.editing === item.item && editable ? (
        <EditFields
          fields={{ ...editable, ...edited }}
          onSave={(fields) => review.edit(item.item, fields)}
          onClose={() => review.setEditing(undefined)}
        />
      ) : (
        !item.cut &&
        (item.before || item.after) && <FieldDiff {...toCompared(item, after, nameRecord)} render={renderValue} />
      )}
      <SchemaEffect item={item} />
      {isMoved && <Staleness handle={handle} item={item} isConflict={change.conflicts.includes(item.item)} />}
      <Findings handle={handle} item={item} />
      <Evidence handle={handle} item={item} />
    </div>
  )
}

/** One item of a change: its effect by field, its evidence, and whether the decision includes it. */
export const ChangeItemCard = (props: ItemProps) => {
  const { handle, change, item, index, review } = props
  const isActive = review.active === index
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isActive && index > 0) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive, index])
  const canTick = change.decision === 'pending' && change.items.length > 1
  const nameRecord = useRecordNames(handle, listNamedRecords(item))
  const name = nameTarget(item, nameRecord)
  const title = `${describeItem(item)} ${name}`
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys n and p do the same
    <article
      className="change-item"
      ref={card}
      aria-label={title}
      data-active={isActive || undefined}
      data-left={(canTick && !review.ticked.has(item.item)) || undefined}
      onClick={() => review.setActive(index)}
    >
      <header>
        {canTick && (
          <Checkbox
            label={`Decide: ${title}`}
            isLabelHidden
            checked={review.ticked.has(item.item)}
            onChange={() => review.toggle(item.item)}
          />
        )}
        <h3>
          <span className="muted">{describeItem(item)}</span> <TargetLink handle={handle} item={item} name={name} />
        </h3>
        {item.target.kind && <Badge>{item.target.kind}</Badge>}
        {review.edits[item.item] && <Badge tone="accent">edited</Badge>}
        {change.conflicts.includes(item.item) && <Badge tone="danger">conflict</Badge>}
        {item.flags.map((flag) => (
          <Badge key={flag} tone="warning">
            {describeFlag(flag)}
          </Badge>
        ))}
        {change.decision === 'pending' && toEditable(item) && review.editing !== item.item && (
          <Button tone="quiet" size="small" icon="edit" onClick={() => review.setEditing(item.item)}>
            Edit
          </Button>
        )}
      </header>
      <Body {...props} nameRecord={nameRecord} />
    </article>
  )
}
