import { Button } from '../button.tsx'
import { FieldDiff } from '../field-diff.tsx'
import { Notice } from '../notice.tsx'

/** Changes by others since a form was opened. */
export type Moved = {
  before: Readonly<Record<string, unknown>>
  after: Readonly<Record<string, unknown>>
  /** Starts over with the values as they are now. */
  reopen: () => void
}

/** Tells of changes by others while a form is open. The form keeps what was typed. */
export const MovedNotice = ({ before, after, reopen }: Moved) => (
  <Notice tone="warning" title="Someone else changed this in the meantime.">
    <FieldDiff before={before} after={after} />
    <p>If you save, only the fields that you changed are written.</p>
    <div className="actions">
      <Button size="small" onClick={reopen}>
        Start over with theirs
      </Button>
    </div>
  </Notice>
)
