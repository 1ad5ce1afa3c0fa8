import type { Statement } from '@noema/contracts/statements.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { statementVersionsQuery } from '../../data/records.ts'
import { ChangeAuthor, ChangeReason } from '../../items/change-author.tsx'
import { useSession } from '../../session/session.tsx'
import { describeConfidence, describeValidity } from './validity.ts'

/** The versions that are read without a question. */
const maxAtOnce = 4

/** The parts that can differ between the versions of a statement. */
const toCompared = (statement: Statement) => ({
  valid: describeValidity(statement),
  confidence: describeConfidence(statement.confidence),
  sources: statement.sources.map(({ document, quote }) => [document, quote].filter(Boolean).join(': ')).join('\n'),
})

type HistoryProps = { handle: string; statement: Statement }

const Retraction = ({ handle, statement: { retraction, retractedAt } }: HistoryProps) =>
  retraction !== null &&
  retractedAt !== null && (
    <li className="version">
      <p className="version-head">
        <strong>Retracted</strong>
        <Time iso={retractedAt} />
        <ChangeAuthor handle={handle} change={retraction.change} />
      </p>
      {retraction.reason !== null && <p className="change-reason">“{retraction.reason}”</p>}
      <ChangeReason handle={handle} change={retraction.change} />
    </li>
  )

const Version = ({ handle, statement, before }: HistoryProps & { before: Statement | undefined }) => (
  <li className="version">
    <p className="version-head">
      <strong>{statement.version === 1 ? 'Asserted' : `Version ${statement.version}`}</strong>
      <Time iso={statement.assertedAt} />
      <ChangeAuthor handle={handle} change={statement.provenance.change} provenance={statement.provenance} />
      {statement.provenance.source !== undefined && <span className="muted">from {statement.provenance.source}</span>}
    </p>
    <ChangeReason handle={handle} change={statement.provenance.change} />
    {before && <FieldDiff before={toCompared(before)} after={toCompared(statement)} />}
  </li>
)

/** The versions of a statement and its retraction, newest first, each with its author and reason. */
export const StatementHistory = ({ handle, statement }: HistoryProps) => {
  const { id, stateVersion } = statement
  const query = useInfiniteQuery(statementVersionsQuery(useSession(), handle, { id, stateVersion }))
  const { hasNextPage, isFetching, fetchNextPage, error } = query
  const read = query.data?.pages.length ?? 0
  useEffect(() => {
    if (read > 0 && read < maxAtOnce && hasNextPage && !isFetching && !error) void fetchNextPage()
  }, [read, hasNextPage, isFetching, error, fetchNextPage])
  if (error) return <FailureNotice error={error} />
  if (!query.data) return <Skeleton lines={3} />
  const versions = query.data.pages
  return (
    <>
      <ol className="versions">
        <Retraction handle={handle} statement={statement} />
        {versions.map((one, index) => (
          <Version key={one.version} handle={handle} statement={one} before={versions[index + 1]} />
        ))}
      </ol>
      {hasNextPage && read >= maxAtOnce && (
        <Button size="small" onClick={() => void fetchNextPage()}>
          Show earlier versions
        </Button>
      )}
    </>
  )
}
