import { ConflictNotice } from '../../components/conflict-notice.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { StagedNotice } from '../../items/staged-notice.tsx'
import { Differences } from './differences.tsx'
import type { RecordEdit } from './use-record-edit.ts'

/** The outcome of an edit. In a conflict, it shows the other person's changes and the choices. */
export const EditOutcome = ({ handle, edit }: { handle: string; edit: RecordEdit }) => {
  const { outcome, error } = edit
  if (error !== undefined) return <FailureNotice error={error} />
  if (outcome?.what === 'staged') return <StagedNotice handle={handle} what="The edit" change={outcome.change} />
  if (outcome?.what !== 'conflict') return null
  return (
    <ConflictNotice
      what="record"
      onSave={() => void edit.save(outcome.fields, outcome.current).catch(() => undefined)}
      onKeepTheirs={edit.clear}
    >
      <Differences handle={handle} differences={outcome.differences} />
    </ConflictNotice>
  )
}
