import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Client } from '@noema/sdk'
import { type ReactNode, useCallback } from 'react'
import { Link } from '../address.tsx'
import { Loading } from '../components/loading.tsx'
import { FailureNotice } from '../components/notice.tsx'
import { useLoaded } from '../components/use-loaded.ts'
import { itemPath, linkingPath } from './paths.ts'

/** How many of each sort the page of a record shows; the rest have a list of their own. */
const shown = 20

type Place = { handle: string; asOf: number | undefined }

const RecordLink = ({ handle, asOf, id, name }: Place & { id: string; name?: string | null }) => (
  <Link to={itemPath(handle, { type: 'record', id }, asOf === undefined ? {} : { asOf })}>{name ?? id}</Link>
)

type NeighbourListProps = { title: string; children: readonly ReactNode[] | ReactNode }

const NeighbourList = ({ title, children }: NeighbourListProps) => (
  <div className="neighbours">
    <h3>{title}</h3>
    <ul>{children}</ul>
  </div>
)

/** What a record's own links lead to. */
const LinksTo = ({ record, ...place }: Place & { record: BrainRecord }) =>
  record.links.length > 0 && (
    <NeighbourList title="Links to">
      {record.links.map(({ predicate, to }) => (
        <li key={`${predicate} ${to}`}>
          <span className="muted">{predicate}</span> <RecordLink {...place} id={to} />
        </li>
      ))}
    </NeighbourList>
  )

/** By what a record links to another. */
const listPredicates = ({ links }: BrainRecord, id: string): string =>
  [...new Set(links.flatMap(({ predicate, to }) => (to === id ? predicate : [])))].join(', ')

type NeighboursProps = Place & { client: Client; record: BrainRecord }

/** What a record leads to, and what leads to it: records by their links, and statements that have it as their object. */
export const Neighbours = ({ client, handle, asOf, record }: NeighboursProps) => {
  const { id } = record
  const load = useCallback(
    async (signal: AbortSignal) => {
      const brain = client.brain(handle)
      const [linking, saying] = await Promise.all([
        brain.records.list({ linksTo: id, asOf, limit: shown }, { signal }),
        brain.statements.list({ object: id, asOf, limit: shown }, { signal }),
      ])
      return { ...linking, statements: saying.statements }
    },
    [client, handle, id, asOf],
  )
  const { data, error } = useLoaded(load)
  const place = { handle, asOf }
  return (
    <section aria-label="Neighbours">
      <LinksTo {...place} record={record} />
      {error !== undefined && <FailureNotice error={error} />}
      {!data && error === undefined && <Loading />}
      {data && data.records.length + data.statements.length > 0 && (
        <NeighbourList title="Linked from">
          {data.records.map((one) => (
            <li key={one.id}>
              <span className="muted">{one.kind}</span> <RecordLink {...place} id={one.id} name={one.slug} />{' '}
              <span className="muted">{listPredicates(one, id)}</span>
            </li>
          ))}
          {data.statements.map(({ id: statement, subject, predicate }) => (
            <li key={statement}>
              <span className="muted">{subject.kind}</span> <RecordLink {...place} id={subject.id} />{' '}
              <Link to={itemPath(handle, { type: 'statement', id: statement }, asOf === undefined ? {} : { asOf })}>
                {predicate}
              </Link>
            </li>
          ))}
        </NeighbourList>
      )}
      {data?.hasMore && (
        <p>
          <Link to={linkingPath(handle, id)}>All records that link to it</Link>
        </p>
      )}
    </section>
  )
}
