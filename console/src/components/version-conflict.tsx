import { useRef } from 'react'
import { ConflictNotice } from './conflict-notice.tsx'
import { FieldDiff } from './field-diff.tsx'
import { FailureNotice } from './notice.tsx'
import { TakenVersion } from './use-versioned-save.ts'

type Fields = Readonly<Record<string, unknown>>

type Props = { error: unknown; what: string; before: Fields; after: Fields | undefined; onKeepTheirs: () => void }

/**
 * The failure of a form that saves on top of a version: the one that someone else saved meanwhile, or any other error. "Save my version"
 * submits the form again.
 */
export const VersionConflict = ({ error, what, before, after, onKeepTheirs }: Props) => {
  const place = useRef<HTMLDivElement>(null)
  if (!(error instanceof TakenVersion)) return <FailureNotice error={error} />
  return (
    <div ref={place}>
      <ConflictNotice
        what={what}
        onSave={() => place.current?.closest('form')?.requestSubmit()}
        onKeepTheirs={onKeepTheirs}
      >
        {after ? <FieldDiff before={before} after={after} /> : <p>It was deleted.</p>}
      </ConflictNotice>
    </div>
  )
}
