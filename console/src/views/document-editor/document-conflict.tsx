import { ConflictNotice } from '../../components/conflict-notice.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { TextComparison } from '../../components/text-comparison.tsx'
import type { DocumentWithText } from '../../data/documents.ts'

const toDetails = ({ title, contentType, source }: DocumentWithText) => ({
  title: title ?? undefined,
  contentType,
  source: source?.name,
})

type DocumentConflictProps = {
  opened: DocumentWithText
  current: DocumentWithText
  onSaveMine: () => void
  /** Drops what was typed, and shows the document as it is now. */
  onKeepTheirs: () => void
}

/** The version that someone else saved while the person wrote: its title and text against the opened version. */
export const DocumentConflict = ({ opened, current, onSaveMine, onKeepTheirs }: DocumentConflictProps) => {
  const [before, after] = [toDetails(opened), toDetails(current)]
  return (
    <ConflictNotice what="document" onSave={onSaveMine} onKeepTheirs={onKeepTheirs}>
      {JSON.stringify(before) !== JSON.stringify(after) && <FieldDiff before={before} after={after} />}
      {opened.text === current.text ? (
        <p className="muted">The text is the same.</p>
      ) : (
        <TextComparison
          before={{ name: `Version ${opened.version}`, text: opened.text }}
          after={{ name: `Version ${current.version}`, text: current.text }}
        />
      )}
    </ConflictNotice>
  )
}
