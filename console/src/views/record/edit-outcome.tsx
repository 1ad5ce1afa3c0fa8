import { Link } from '@tanstack/react-router'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Differences } from './differences.tsx'
import type { RecordEdit } from './use-record-edit.ts'

/** What became of an edit. Where somebody else was faster, what they changed, and the choice what to do about it. */
export const EditOutcome = ({ handle, edit }: { handle: string; edit: RecordEdit }) => {
  const { outcome, error } = edit
  if (error !== undefined) return <FailureNotice error={error} />
  if (outcome?.what === 'staged')
    return (
      <Notice tone="good">
        <p>
          This Brain wants review: the edit waits for a decision.{' '}
          <Link to="/brains/$handle/changes/$id" params={{ handle, id: outcome.change }}>
            Open the change
          </Link>
        </p>
      </Notice>
    )
  if (outcome?.what !== 'conflict') return null
  return (
    <Notice tone="warning" title="Somebody else changed this record meanwhile. Nothing was saved.">
      <Differences differences={outcome.differences} />
      <div className="field-actions">
        <button
          type="button"
          className="button small primary"
          onClick={() => void edit.save(outcome.fields, outcome.version).catch(() => undefined)}
        >
          Save mine on top
        </button>
        <button type="button" className="button small" onClick={edit.forget}>
          Leave theirs
        </button>
      </div>
    </Notice>
  )
}
