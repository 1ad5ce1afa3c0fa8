import { Link } from '@tanstack/react-router'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Differences } from './differences.tsx'
import type { RecordEdit } from './use-record-edit.ts'

/** The outcome of an edit. In a conflict, it shows the other person's changes and the choices. */
export const EditOutcome = ({ handle, edit }: { handle: string; edit: RecordEdit }) => {
  const { outcome, error } = edit
  if (error !== undefined) return <FailureNotice error={error} />
  if (outcome?.what === 'staged')
    return (
      <Notice tone="good">
        <p>
          This Brain is in review mode. The edit waits for a decision.{' '}
          <Link to="/brains/$handle/changes/$id" params={{ handle, id: outcome.change }}>
            Open the change
          </Link>
        </p>
      </Notice>
    )
  if (outcome?.what !== 'conflict') return null
  return (
    <Notice tone="warning" title="Someone else changed this record in the meantime. Nothing was saved.">
      <Differences differences={outcome.differences} />
      <div className="field-actions">
        <button
          type="button"
          className="button small primary"
          onClick={() => void edit.save(outcome.fields, outcome.current).catch(() => undefined)}
        >
          Save my version
        </button>
        <button type="button" className="button small" onClick={edit.clear}>
          Keep theirs
        </button>
      </div>
    </Notice>
  )
}
