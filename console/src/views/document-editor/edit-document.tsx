import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useOpenedVersion } from '../../components/use-opened-version.ts'
import { type DocumentWithText, documentQuery } from '../../data/documents.ts'
import { useSession } from '../../session/session.tsx'
import { DocumentEditor } from './document-editor.tsx'
import { readUnsaved } from './unsaved.ts'
import { useUnsavedKey } from './use-unsaved.ts'

type EditDocumentProps = { handle: string; document: DocumentWithText; onClose: () => void }

/** Edits a document in place: the version that the person opened, whatever others save meanwhile. */
export const EditDocument = ({ handle, document, onClose }: EditDocumentProps) => {
  const key = useUnsavedKey(handle, document.id)
  // Text that was typed on top of an earlier version goes on there.
  const [earlier, setEarlier] = useState(() => {
    const version = readUnsaved(key)?.version ?? document.version
    return version === document.version ? undefined : version
  })
  const { data } = useQuery({
    ...documentQuery(useSession(), handle, document.id, { version: earlier ?? document.version }),
    enabled: earlier !== undefined,
  })
  const live = useOpenedVersion(document, ({ version }) => version)
  const opened = earlier === undefined ? (live.opened ?? document) : data?.document
  if (!opened) return <Skeleton lines={10} />
  const reopen = () => {
    setEarlier(undefined)
    live.reopen()
  }
  return (
    <section aria-label="Edit document" className="record">
      <h2>Edit {opened.title ?? opened.id}</h2>
      <DocumentEditor
        key={opened.version}
        {...{ handle, opened, current: document, onClose }}
        onSaved={async () => onClose()}
        onReopen={reopen}
      />
    </section>
  )
}

/** Unsaved text of a document in this tab, on the page of the document. */
export const UnsavedText = ({ handle, id, onEdit }: { handle: string; id: string; onEdit: () => void }) => {
  const unsaved = readUnsaved(useUnsavedKey(handle, id))
  if (!unsaved) return null
  return (
    <Notice>
      <div className="unsaved-notice">
        <p>
          This document has text of yours that is not saved. You last typed <Time iso={unsaved.at} />.
        </p>
        <Button size="small" onClick={onEdit}>
          Go on
        </Button>
      </div>
    </Notice>
  )
}
