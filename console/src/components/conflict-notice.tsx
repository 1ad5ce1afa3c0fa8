import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type ConflictNoticeProps = {
  /** The changed item: record, document. */
  what: string
  onSave: () => void
  onKeepTheirs: () => void
  /** The changes of the other person. */
  children: ReactNode
}

/** Shown in place of a save that would overwrite what someone else saved meanwhile: their changes, and the choices. */
export const ConflictNotice = ({ what, onSave, onKeepTheirs, children }: ConflictNoticeProps) => (
  <div role="status">
    <Notice tone="warning" title={`Someone else changed this ${what} in the meantime. Nothing was saved.`}>
      {children}
      <div className="field-actions">
        <Button size="small" tone="primary" onClick={onSave}>
          Save my version
        </Button>
        <Button size="small" onClick={onKeepTheirs}>
          Keep theirs
        </Button>
      </div>
    </Notice>
  </div>
)
