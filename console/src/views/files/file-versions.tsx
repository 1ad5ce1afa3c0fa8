import type { Artifact } from '@noema/contracts/artifacts.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { downloadFile, filesKey, fileVersionsQuery } from '../../data/files.ts'
import { useSession } from '../../session/session.tsx'
import { FileAuthor } from './file-author.tsx'

const EarlierVersion = ({ one }: { one: Artifact }) => {
  const session = useSession()
  const cache = useQueryClient()
  const { run, isRunning, error } = useAction(() => downloadFile(session, one))
  const remove = async () => {
    await session.client.artifacts.delete(one.id, { version: one.version })
    await cache.invalidateQueries({ queryKey: filesKey(session) })
  }
  return (
    <li>
      <span className="line-main">
        Version {one.version} <span className="muted">{toSize(one.bytes)}</span> <Time iso={one.createdAt} />{' '}
        <FileAuthor by={one.createdBy} />
      </span>
      <div className="actions">
        <Button size="small" icon="download" isBusy={isRunning} onClick={() => void run()}>
          Download version {one.version}
        </Button>
        <ConfirmButton
          label={`Delete version ${one.version}`}
          title={`Delete version ${one.version}?`}
          confirm="Delete version"
          onConfirm={remove}
        >
          <p>Its bytes are erased, and links to it stop working. Other versions stay. This cannot be undone.</p>
        </ConfirmButton>
      </div>
      <FailureNotice error={error} />
    </li>
  )
}

/** The versions of a file before the current one, the newest first. */
export const FileVersions = ({ file: { id, version } }: { file: Artifact }) => {
  const query = useInfiniteQuery(fileVersionsQuery(useSession(), id))
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  if (error) return <FailureNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={3} />
  const earlier = data.pages.flatMap(({ versions }) => versions).filter((one) => one.version < version)
  return (
    <section aria-label="Earlier versions" className="file-versions">
      <h3>Earlier versions</h3>
      {earlier.length === 0 && <p className="muted">There are none. Another upload to this path makes one.</p>}
      <ul>
        {earlier.map((one) => (
          <EarlierVersion key={one.version} one={one} />
        ))}
      </ul>
      {hasNextPage && (
        <Button size="small" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  )
}
