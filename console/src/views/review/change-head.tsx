import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge, Status } from '../../components/badge.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Notice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import { changeSummaryQuery } from '../../data/change-summaries.ts'
import { type ChangeDetail, changeQuery, type QueuedChange } from '../../data/changes.ts'
import { useRecordNames } from '../../data/item-names.ts'
import { Who } from '../../items/who.tsx'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { ChangeName } from './change-name.tsx'
import { describeItem, describeOperations, listNamedRecords, nameTarget } from './item-fields.ts'
import { SystemAuthor } from './system-author.tsx'

/** The two states of a change: its decision and its application. */
export const ChangeStatus = ({ change }: { change: Pick<ChangeDetail, 'decision' | 'application'> }) => (
  <>
    <Status state={change.decision} label={change.decision === 'pending' ? 'waiting' : change.decision} />
    {change.decision !== 'pending' && <Status state={change.application} />}
  </>
)

/** The maximum number of earlier changes that are followed. */
const maxSteps = 5

type StepProps = { handle: string; id: string; left: number }

/** The change that this one replaces a part of, and its predecessor. */
const Superseded = ({ handle, id, left }: StepProps) => {
  const { data } = useQuery(changeQuery(useSession(), handle, id))
  return (
    <li>
      <Link to="/brains/$handle/changes/$id" params={{ handle, id }}>
        {data ? plural(data.change.itemCount, 'item') : id}
      </Link>
      {data && (
        <>
          {' '}
          <ChangeStatus change={data.change} /> <Time iso={data.change.createdAt} />
        </>
      )}
      {data?.change.supersedes && left > 0 && (
        <ol>
          <Superseded handle={handle} id={data.change.supersedes} left={left - 1} />
        </ol>
      )}
    </li>
  )
}

/** A link to another change by its name. */
const NamedChange = ({ handle, id }: { handle: string; id: string }) => {
  const { data } = useQuery(changeSummaryQuery(useSession(), handle, id))
  return (
    <Link to="/brains/$handle/changes/$id" params={{ handle, id }} title={id}>
      {data ? <ChangeName change={data} /> : id}
    </Link>
  )
}

const Actors = ({ change, queued }: { change: ChangeDetail; queued: QueuedChange | undefined }) => {
  const by = queued?.stagedByName ?? (change.stagedByActor?.type === 'run' ? 'a run' : undefined)
  const isSystem = change.stagedByActor?.type === 'system'
  return (
    <p className="change-meta">
      Proposed by{' '}
      <strong>{by ?? (isSystem ? <SystemAuthor id={change.stagedBy} /> : <Who id={change.stagedBy} />)}</strong>{' '}
      {change.stagedByActor?.type === 'run' && <Badge tone="info">run</Badge>} <Time iso={change.createdAt} /> on state{' '}
      {change.baseStateVersion}.
      {change.decidedAt && (
        <>
          {' '}
          {change.decision === 'rejected' ? 'Rejected' : 'Decided'} by{' '}
          <strong>{queued?.decidedByName ?? <Who id={change.decidedBy ?? null} />}</strong>{' '}
          <Time iso={change.decidedAt} />.
        </>
      )}
      {change.publishAt && (
        <>
          {' '}
          To be published <Time iso={change.publishAt} />.
        </>
      )}{' '}
      <CopyId id={change.id} what="the change" />
    </p>
  )
}

const Warnings = ({ change }: { change: ChangeDetail }) => {
  const count = change.conflicts.length
  return (
    <>
      {change.application === 'blocked' && (
        <Notice tone="danger" title="Approved, but it could not be applied">
          <p>
            {change.blockedBy === 'held'
              ? 'The Brain is on hold. The change is published once the hold is released.'
              : `${change.blockedBy ?? 'The reason is unknown.'} Review it again on top of the current content.`}
          </p>
        </Notice>
      )}
      {count > 0 && change.application !== 'blocked' && (
        <Notice
          tone="warning"
          title={`${count === 1 ? 'One item is' : `${count} items are`} in conflict with later writes`}
        >
          <p>An approval now would be blocked. Rebase the change onto the current content.</p>
        </Notice>
      )}
    </>
  )
}

const countOperations = ({ items }: ChangeDetail): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(items, ({ op }) => op)].map(([op, same]) => [op, same.length]))

type HeadProps = { handle: string; change: ChangeDetail; queued: QueuedChange | undefined; isOwnPage: boolean }

/** The header of a change: its summary, author, time, states and origin. */
export const ChangeHead = ({ handle, change, queued, isOwnPage }: HeadProps) => {
  const [only] = change.items.length === 1 ? change.items : []
  const done = describeOperations(countOperations(change))
  const nameRecord = useRecordNames(handle, only ? listNamedRecords(only) : [])
  return (
    <header className="change-head" data-change={change.id}>
      <div className="change-title">
        <h2>{change.reason ?? (only ? `${describeItem(only)} ${nameTarget(only, nameRecord)}` : done)}</h2>
        <ChangeStatus change={change} />
        {!isOwnPage && (
          <Link to="/brains/$handle/changes/$id" params={{ handle, id: change.id }} className="change-brain">
            {handle}
          </Link>
        )}
      </div>
      <Actors change={change} queued={queued} />
      {change.reason && <p className="change-meta">{done}</p>}
      {change.decisionReason && <p className="change-note">“{change.decisionReason}”</p>}
      {change.corrects && (
        <p className="change-meta">
          Corrects <NamedChange handle={handle} id={change.corrects} />.
        </p>
      )}
      {change.supersedes && (
        <details className="change-chain">
          <summary>Part of a change that was split</summary>
          <ol>
            <Superseded handle={handle} id={change.supersedes} left={maxSteps} />
          </ol>
        </details>
      )}
      <Warnings change={change} />
    </header>
  )
}
