import { useRef } from 'react'
import { ConflictNotice } from './conflict-notice.tsx'
import { FieldDiff } from './field-diff.tsx'

type Fields = Readonly<Record<string, unknown>>

type Props = { what: string; before: Fields; after: Fields | undefined; onKeepTheirs: () => void }

/** In a form: the version that someone else saved meanwhile. "Save my version" submits the form again. */
export const VersionConflict = ({ what, before, after, onKeepTheirs }: Props) => {
  const place = useRef<HTMLDivElement>(null)
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
