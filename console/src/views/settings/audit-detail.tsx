import type { AuditEntry } from '@noema/contracts/audit.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { type AuditFilter, describeActor, describeTarget } from '../../data/audit.ts'
import type { Member } from '../../data/members.ts'

type AuditDetailProps = { entry: AuditEntry; members: readonly Member[]; onFilter: (given: AuditFilter) => void }

/** The details of one entry: its changes, and links to other entries of the same actor or target. */
export const AuditDetail = ({ entry, members, onFilter }: AuditDetailProps) => {
  const { id, at, actor, target, before, after } = entry
  const { name, by } = describeActor(entry, members)
  return (
    <div className="audit-detail">
      <KeyValues
        items={[
          [
            'At',
            <time key="at" dateTime={at}>
              {at}
            </time>,
          ],
          [
            'Actor',
            <span key="by" className="audit-facts">
              {name} {by} <CopyId id={actor.id} />
              {actor.runId !== undefined && <CopyId id={actor.runId} what="the id of the run" />}
            </span>,
          ],
          [
            'Target',
            <span key="of" className="audit-facts">
              {describeTarget(entry).name} <span className="muted">{describeTarget(entry).sort}</span>{' '}
              <CopyId id={target.id} />
            </span>,
          ],
          ['Entry', <CopyId key="id" id={id} />],
        ]}
      />
      {before || after ? (
        <FieldDiff before={before} after={after} />
      ) : (
        <p className="muted">The entry has no further details.</p>
      )}
      <div className="actions">
        <Button size="small" icon="filter" onClick={() => onFilter({ actor: actor.userId ?? actor.id })}>
          All by this actor
        </Button>
        <Button size="small" icon="filter" onClick={() => onFilter({ target: target.id })}>
          All of this target
        </Button>
        <CopyButton text={JSON.stringify(entry, undefined, 2)} what="the entry as JSON" />
      </div>
    </div>
  )
}
