import type { Artifact } from '@noema/contracts/artifacts.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Drawer } from '../../components/dialog.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { downloadFile, fileQuery, filesKey, toFileName, toFolder } from '../../data/files.ts'
import { useSession } from '../../session/session.tsx'
import { AddToBrain } from './add-to-brain.tsx'
import { FileAuthor } from './file-author.tsx'
import { FileVersions } from './file-versions.tsx'
import { LinkDialog } from './link-dialog.tsx'

const Folder = ({ path }: { path: string }) => {
  const folder = toFolder(path)
  return folder === '' ? (
    <span className="muted">none</span>
  ) : (
    <Link to="/files" search={{ prefix: folder }}>
      {folder}
    </Link>
  )
}

const toFacts = (file: Artifact): [string, ReactNode][] => [
  ['Folder', <Folder key="folder" path={file.path} />],
  ['Version', file.version],
  ['Type', <code key="type">{file.contentType}</code>],
  ['Size', toSize(file.bytes)],
  ['Source', file.source],
  ['Sent by', <FileAuthor key="by" by={file.createdBy} />],
  ['Sent', <Time key="at" iso={file.createdAt} />],
  ['SHA-256', <code key="hash">{file.sha256}</code>],
  ['Id', <CopyId key="id" id={file.id} />],
]

type FileProps = { file: Artifact; onClose: () => void }

/** Deletes a file with all its versions, after a confirmation. */
const DeleteFile = ({ file: { id, path }, onClose }: FileProps) => {
  const session = useSession()
  const cache = useQueryClient()
  const remove = async () => {
    await session.client.artifacts.delete(id, {})
    onClose()
    cache.removeQueries({ queryKey: fileQuery(session, id).queryKey })
    await cache.invalidateQueries({ queryKey: filesKey(session) })
  }
  return (
    <ConfirmButton label="Delete" title={`Delete ${toFileName(path)}?`} confirm="Delete file" onConfirm={remove}>
      <p>The bytes of all its versions are erased, and its links stop working. This cannot be undone.</p>
      <p>Documents that were made from it stay with their text, and say that the file was deleted.</p>
    </ConfirmButton>
  )
}

const FileActs = ({ file, onClose }: FileProps) => {
  const session = useSession()
  const [open, setOpen] = useState<'add' | 'link'>()
  const { run, isRunning, error } = useAction(() => downloadFile(session, file))
  const close = () => setOpen(undefined)
  return (
    <>
      <div className="actions">
        <Button size="small" icon="download" isBusy={isRunning} onClick={() => void run()}>
          Download
        </Button>
        <Button size="small" icon="brain" onClick={() => setOpen('add')}>
          Add to a Brain
        </Button>
        <Button size="small" icon="link" onClick={() => setOpen('link')}>
          Create a link
        </Button>
        <DeleteFile file={file} onClose={onClose} />
      </div>
      {isRunning && (
        <p className="muted" role="status">
          Downloading…
        </p>
      )}
      <FailureNotice error={error} />
      {open === 'add' && <AddToBrain file={file} onClose={close} />}
      {open === 'link' && <LinkDialog file={file} onClose={close} />}
    </>
  )
}

const Opened = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const { data, error, refetch } = useQuery(fileQuery(useSession(), id))
  if (error) return <FailureNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={8} />
  return (
    <div className="stack">
      <FileActs file={data} onClose={onClose} />
      <KeyValues items={toFacts(data)} />
      <FileVersions file={data} />
    </div>
  )
}

/** A file next to the list: its actions and its facts. */
export const FileDrawer = ({ id, onClose }: { id: string | undefined; onClose: () => void }) => {
  const { data } = useQuery({ ...fileQuery(useSession(), id ?? ''), enabled: id !== undefined })
  return (
    <Drawer isOpen={id !== undefined} title={data ? toFileName(data.path) : 'File'} onClose={onClose}>
      {id !== undefined && <Opened key={id} id={id} onClose={onClose} />}
    </Drawer>
  )
}
