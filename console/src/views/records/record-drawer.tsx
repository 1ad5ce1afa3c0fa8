import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { toRecordName } from '../../data/record-text.ts'
import { recordQuery } from '../../data/records.ts'
import { useSession } from '../../session/session.tsx'
import { FieldRows } from '../record/field-rows.tsx'
import { Relations } from '../record/relations.tsx'

type RecordDrawerProps = {
  handle: string
  id: string
  /** The data that the list already has. */
  known: BrainRecord | undefined
  /** Undefined until the schema is loaded. */
  kinds: readonly SchemaKind[] | undefined
  asOf: number | undefined
  onClose: () => void
}

/** One record next to the list, so that the next one is a key press away. */
export const RecordDrawer = ({ handle, id, known, kinds, asOf, onClose }: RecordDrawerProps) => {
  const { data, error } = useQuery(recordQuery(useSession(), handle, id, asOf))
  const record = data?.record ?? known
  return (
    <aside
      className="record-drawer"
      aria-label="The open record"
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <div className="record-top">
        <h2>{record ? toRecordName(record) : id}</h2>
        <div className="field-actions">
          <LinkButton to="/brains/$handle/records/$id" params={{ handle, id }} search={{ asOf }} size="small">
            Open page
          </LinkButton>
          <Button size="small" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
      {error && <FailureNotice error={error} />}
      {record ? (
        <>
          <p className="about">
            <span>{record.kind}</span>
            <CopyId id={record.id} />
            <span>version {record.version}</span>
            <Time iso={record.updatedAt} />
          </p>
          {kinds ? (
            <FieldRows record={record} kind={kinds.find(({ kind }) => kind === record.kind)} />
          ) : (
            <Skeleton lines={6} />
          )}
          <Relations record={record} handle={handle} asOf={asOf} />
        </>
      ) : (
        !error && <Skeleton lines={6} />
      )}
    </aside>
  )
}
