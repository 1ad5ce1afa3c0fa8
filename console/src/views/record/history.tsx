import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { recordHistoryQuery } from '../../data/records.ts'
import { ChangeAuthor, ChangeReason } from '../../items/change-author.tsx'
import { useSession } from '../../session/session.tsx'
import { Differences } from './differences.tsx'
import { diffVersions } from './version-diff.ts'
import type { VersionEntry } from './versions.ts'

type VersionProps = {
  entry: VersionEntry
  before: VersionEntry | undefined
  isFirst: boolean
  handle: string
  /** The record whose history it is. Others were merged into it. */
  of: string
}

const Version = ({ entry: { record, ended }, before, isFirst, handle, of }: VersionProps) => (
  <li className="version">
    {ended?.deleted && (
      <p className="version-head">
        <strong>{ended.mergedInto === undefined ? 'Deleted' : 'Merged'}</strong>
        {ended.mergedInto !== undefined && <span className="muted">into {ended.mergedInto}</span>}
        <Time iso={ended.at} />
        <ChangeAuthor handle={handle} change={ended.change} />
      </p>
    )}
    {ended?.deleted && <ChangeReason handle={handle} change={ended.change} />}
    <p className="version-head">
      <strong>Version {record.version}</strong>
      {record.id !== of && <span className="muted">of {record.id}</span>}
      <Time iso={record.updatedAt} />
      <ChangeAuthor handle={handle} change={record.provenance.change} provenance={record.provenance} />
      {record.provenance.source !== undefined && <span className="muted">from {record.provenance.source}</span>}
      <Link to="/brains/$handle/records/$id" params={{ handle, id: record.id }} search={{ asOf: record.stateVersion }}>
        At that version
      </Link>
    </p>
    <ChangeReason handle={handle} change={record.provenance.change} />
    {before || isFirst ? (
      <Differences handle={handle} differences={diffVersions(before?.record, record)} />
    ) : (
      <p className="muted">Show earlier versions to see what changed.</p>
    )}
  </li>
)

/** The version of the same record before one. */
const findBefore = (versions: readonly VersionEntry[], index: number): VersionEntry | undefined =>
  versions.slice(index + 1).find(({ record }) => record.id === versions[index]?.record.id)

/** Every version of a record, newest first, each with its changes. */
export const History = ({ handle, id }: { handle: string; id: string }) => {
  const query = useInfiniteQuery(recordHistoryQuery(useSession(), handle, id))
  if (query.error) return <FailureNotice error={query.error} />
  if (!query.data) return <Skeleton lines={6} />
  const versions = query.data.pages.flatMap((page) => page.versions)
  return (
    <section aria-label="History">
      <ol className="versions">
        {versions.map((entry, index) => (
          <Version
            key={`${entry.record.id} ${entry.record.version}`}
            entry={entry}
            before={findBefore(versions, index)}
            isFirst={findBefore(versions, index) === undefined && !query.hasNextPage}
            handle={handle}
            of={id}
          />
        ))}
      </ol>
      {query.hasNextPage && (
        <button type="button" className="button small" onClick={() => query.fetchNextPage()}>
          Show earlier versions
        </button>
      )}
    </section>
  )
}
