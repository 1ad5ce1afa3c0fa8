import '../../styles/file-and-text.css'
import type { Artifact } from '@noema/contracts/artifacts.ts'
import type { DocumentArtifact } from '@noema/contracts/documents.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { NotFoundError } from '@noema/sdk/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAction } from '../../components/use-action.ts'
import { downloadFile, fileVersionQuery, toFileName } from '../../data/files.ts'
import { useSession } from '../../session/session.tsx'
import { Original } from './original.tsx'

/** Files of this size and more are not loaded into the page without being asked for. */
const maxLoadedBytes = 16 * 1024 * 1024

/** The pages of a text, each of which ends with a form feed. */
const toPages = (text: string): string[] => {
  const pages = text.split('\f')
  return pages.length > 1 && pages.at(-1)?.trim() === '' ? pages.slice(0, -1) : pages
}

type PagerProps = { page: number; count: number; onPage: (page: number) => void }

const Pager = ({ page, count, onPage }: PagerProps) => (
  <div className="actions">
    <Button size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
      Previous page
    </Button>
    <label>
      Page{' '}
      <input
        className="page-number"
        type="number"
        min={1}
        max={count}
        value={page}
        onChange={({ target }) => onPage(Math.min(Math.max(1, Math.trunc(target.valueAsNumber) || 1), count))}
      />{' '}
      of {count}
    </label>
    <Button size="small" disabled={page >= count} onClick={() => onPage(page + 1)}>
      Next page
    </Button>
  </div>
)

/** The file, once it is loaded or if it is asked for. */
const FileSide = ({ file, page }: { file: Artifact; page: number }) => {
  const session = useSession()
  const [isAsked, setAsked] = useState(file.bytes <= maxLoadedBytes)
  const { run, isRunning, error } = useAction(() => downloadFile(session, file))
  return (
    <section aria-label={`The file ${toFileName(file.path)}`} className="file-and-text-side">
      <div className="actions">
        <strong>
          {toFileName(file.path)}, version {file.version}
        </strong>
        <Button size="small" icon="download" isBusy={isRunning} onClick={() => void run()}>
          Download
        </Button>
      </div>
      <FailureNotice error={error} />
      {isAsked ? (
        <Original file={file} page={page} />
      ) : (
        <Button onClick={() => setAsked(true)}>Show the file ({toSize(file.bytes)})</Button>
      )}
    </section>
  )
}

/** A file and the text that was extracted from it, side by side and page by page. */
export const FileAndText = ({ artifact, text }: { artifact: DocumentArtifact; text: string }) => {
  const { data, error } = useQuery(fileVersionQuery(useSession(), artifact.id, artifact.version))
  const [page, setPage] = useState(1)
  if (error instanceof NotFoundError)
    return (
      <Notice tone="warning">
        <p>This version of the file was deleted. The text stays.</p>
      </Notice>
    )
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={10} />
  const pages = toPages(text)
  return (
    <div className="stack">
      {pages.length > 1 && <Pager page={page} count={pages.length} onPage={setPage} />}
      <div className="file-and-text">
        <FileSide file={data} page={page} />
        <section
          aria-label={pages.length > 1 ? `Text of page ${page}` : 'Text'}
          className="file-and-text-side file-and-text-page"
        >
          <Markdown key={page} text={pages[page - 1] ?? ''} />
        </section>
      </div>
    </div>
  )
}
