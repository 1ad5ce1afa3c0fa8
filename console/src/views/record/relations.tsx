import '../../styles/record.css'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { FailureNotice } from '../../components/notice.tsx'
import { toCellText, toRecordName } from '../../data/record-text.ts'
import { linkingRecordsQuery, statementsQuery } from '../../data/records.ts'
import { ItemLink } from '../../items/item-link.tsx'
import { useSession } from '../../session/session.tsx'

// The relations of a record: its links, links to it, and statements about it or with it as their object.

type Location = { handle: string; asOf: number | undefined }

const ToRecord = ({ handle, asOf, id }: Location & { id: string }) => (
  <ItemLink handle={handle} item={{ type: 'record', id }} asOf={asOf} />
)

type PagesProps = {
  title: string
  /** A link to the whole list, if there is one. */
  all?: ReactNode
  query: {
    error: Error | null
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => unknown
    isPending: boolean
  }
  isEmpty: boolean
  children: ReactNode
}

/** A short list, with a button for the rest. Empty lists are hidden. */
const Pages = ({ title, all, query, isEmpty, children }: PagesProps) => {
  if (query.error) return <FailureNotice error={query.error} />
  if (isEmpty) return null
  return (
    <div className="relations">
      <h3>{title}</h3>
      <ul>{children}</ul>
      {query.hasNextPage && (
        <button
          type="button"
          className="button small"
          disabled={query.isFetchingNextPage}
          onClick={() => query.fetchNextPage()}
        >
          Show more
        </button>
      )}{' '}
      {query.hasNextPage && all}
    </div>
  )
}

const LinksOut = ({ record, ...location }: Location & { record: BrainRecord }) =>
  record.links.length > 0 && (
    <div className="relations">
      <h3>Links to</h3>
      <ul>
        {record.links.map(({ predicate, to }) => (
          <li key={`${predicate} ${to}`}>
            <span className="relation">{predicate}</span> <ToRecord {...location} id={to} />
          </li>
        ))}
      </ul>
    </div>
  )

/** The name of a relation between two records. */
const listPredicates = ({ links }: BrainRecord, id: string): string =>
  [...new Set(links.flatMap(({ predicate, to }) => (to === id ? predicate : [])))].join(', ')

const LinksIn = ({ id, ...location }: Location & { id: string }) => {
  const query = useInfiniteQuery(linkingRecordsQuery(useSession(), location.handle, id, location.asOf))
  const records = query.data?.pages.flatMap((page) => page.records) ?? []
  return (
    <Pages
      title="Linked from"
      query={query}
      isEmpty={records.length === 0}
      all={
        <Link
          to="/brains/$handle/records"
          params={{ handle: location.handle }}
          search={{ linksTo: id, asOf: location.asOf }}
        >
          All records that link to it
        </Link>
      }
    >
      {records.map((record) => (
        <li key={record.id}>
          <Link
            to="/brains/$handle/records/$id"
            params={{ handle: location.handle, id: record.id }}
            search={{ asOf: location.asOf }}
          >
            {toRecordName(record)}
          </Link>{' '}
          <span className="muted">
            {record.kind}, {listPredicates(record, id)}
          </span>
        </li>
      ))}
    </Pages>
  )
}

type SayingProps = Location & { statement: Statement; isSubject: boolean }

/** A statement in one line, from the perspective of the page's record. */
const Saying = ({ statement, isSubject, ...location }: SayingProps) => {
  const { id, predicate, subject, object, confidence, sources } = statement
  return (
    <li>
      {!isSubject && <ToRecord {...location} id={subject.id} />}{' '}
      <Link
        to="/brains/$handle/statements/$id"
        params={{ handle: location.handle, id }}
        search={{ asOf: location.asOf }}
      >
        {predicate}
      </Link>{' '}
      {isSubject && ('record' in object ? <ToRecord {...location} id={object.record.id} /> : toCellText(object.value))}
      <span className="muted">
        {confidence !== null && ` ${Math.round(confidence * 100)} %`}
        {sources.length > 0 && `, ${sources.length === 1 ? '1 source' : `${sources.length} sources`}`}
      </span>
    </li>
  )
}

const Statements = ({ id, isSubject, ...location }: Location & { id: string; isSubject: boolean }) => {
  const about = isSubject ? { subject: id } : { object: id }
  const query = useInfiniteQuery(statementsQuery(useSession(), location.handle, about, location.asOf))
  const statements = query.data?.pages.flatMap((page) => page.statements) ?? []
  return (
    <Pages
      title={isSubject ? 'Statements about it' : 'Statements that refer to it'}
      query={query}
      isEmpty={statements.length === 0}
      all={
        <Link to="/brains/$handle/statements" params={{ handle: location.handle }} search={about}>
          All of them
        </Link>
      }
    >
      {statements.map((statement) => (
        <Saying key={statement.id} statement={statement} isSubject={isSubject} {...location} />
      ))}
    </Pages>
  )
}

/** All relations of a record, in both directions. */
export const Relations = ({ record, ...location }: Location & { record: BrainRecord }) => (
  <section aria-label="Relations" className="panel-like">
    <Statements id={record.id} isSubject {...location} />
    <LinksOut record={record} {...location} />
    <LinksIn id={record.id} {...location} />
    <Statements id={record.id} isSubject={false} {...location} />
  </section>
)
