import { useEffect, useRef } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Time } from '../../components/time.tsx'
import type { QueuedChange } from '../../data/changes.ts'
import { ChangeStatus } from './change-head.tsx'
import { ChangeName, TargetNames } from './change-name.tsx'
import { describeFlag, describeOperations } from './item-fields.ts'

const evalTones: Readonly<Record<string, Tone>> = { passed: 'good', failed: 'danger', pending: 'info' }

type RowProps = { change: QueuedChange; isOpen: boolean; showsBrain: boolean; showsStatus: boolean; onOpen: () => void }

const Row = ({ change, isOpen, showsBrain, showsStatus, onOpen }: RowProps) => {
  const row = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const [only] = change.itemCount === 1 ? change.targets : []
  const done = describeOperations(change.operations)
  return (
    <li>
      <button type="button" ref={row} className="queue-row" aria-current={isOpen || undefined} onClick={onOpen}>
        <span className="queue-title">
          <ChangeName change={change} />
        </span>
        <span className="queue-targets">
          {only && !change.reason ? [only.kind, done].filter(Boolean).join(' · ') : <TargetNames change={change} />}
          {change.itemCount > change.targets.length && ` and ${change.itemCount - change.targets.length} more`}
        </span>
        <span className="queue-meta">
          {showsBrain && <span>{change.brain.name ?? change.brain.handle}</span>}
          <span>{change.stagedByName ?? change.stagedByActor?.type ?? 'key'}</span>
          <Time iso={change.createdAt} />
          {showsStatus && <ChangeStatus change={change} />}
          {change.decision === 'pending' && change.eval && (
            <Badge tone={evalTones[change.eval.state] ?? 'warning'}>eval {change.eval.state}</Badge>
          )}
          {change.outdated && <Badge tone="warning">outdated</Badge>}
          {change.flags.map((flag) => (
            <Badge key={flag} tone="warning">
              {describeFlag(flag)}
            </Badge>
          ))}
        </span>
      </button>
    </li>
  )
}

type QueueProps = {
  changes: readonly QueuedChange[]
  openId: string | undefined
  showsBrain: boolean
  /** The state of each change, if the list has others than pending ones. */
  showsStatus: boolean
  onOpen: (change: QueuedChange) => void
  onMore: (() => void) | undefined
}

/** The changes to choose from, each in three lines. */
export const Queue = ({ changes, openId, showsBrain, showsStatus, onOpen, onMore }: QueueProps) => (
  <nav className="queue" aria-label="Changes">
    <ul>
      {changes.map((change) => (
        <Row
          key={`${change.brain.id} ${change.id}`}
          change={change}
          isOpen={change.id === openId}
          showsBrain={showsBrain}
          showsStatus={showsStatus}
          onOpen={() => onOpen(change)}
        />
      ))}
    </ul>
    {onMore && (
      <Button tone="quiet" size="small" onClick={onMore}>
        Load more
      </Button>
    )}
  </nav>
)
