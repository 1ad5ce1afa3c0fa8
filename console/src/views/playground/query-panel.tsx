import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, navigate, withQuery } from '../../address.tsx'
import { baseUrl } from '../../base-path.ts'
import { queryExample } from '../../code/retrieval-examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { Select } from '../../components/field.tsx'
import { Json } from '../../components/json.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { itemPath, receiptPath } from '../../data/item-paths.ts'
import { listFilterable, parseWhere, toWhereText } from '../../data/record-filter.ts'
import { toRecordName } from '../../data/record-text.ts'
import { type QueryBody, recordQueryQuery } from '../../data/retrieval.ts'
import { schemaQuery } from '../../data/schema.ts'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { FilterBar } from '../records/filter-bar.tsx'
import { GroupChoice, QueryGroups, readAggregate } from './query-groups.tsx'

const directions = [
  { value: '', name: 'No links' },
  { value: 'out', name: 'The records they link to' },
  { value: 'in', name: 'Records that link to them' },
  { value: 'both', name: 'Both' },
] as const

const shownRecords = 20

const readBody = (address: URLSearchParams, kind: string, schema: SchemaKind | undefined): QueryBody => {
  const where = parseWhere(address.get('where') ?? undefined)
  const direction = directions.find(({ value }) => value !== '' && value === address.get('links'))?.value
  const aggregate = readAggregate(address, schema)
  return {
    kind,
    ...(where && { where }),
    ...(aggregate
      ? { aggregate }
      : direction && { links: { direction, depth: address.get('depth') === '2' ? (2 as const) : (1 as const) } }),
    count: true,
    limit: shownRecords,
  }
}

type Count = { value: number; exact: boolean }

/** The number of matches, as far as they were counted, and of those that are shown. */
const toMatches = (count: Count | undefined, { shown, hasMore }: { shown: number; hasMore: boolean }): string => {
  const value = count?.value ?? shown
  const isLeast = count ? !count.exact : hasMore
  const amount = `${isLeast ? 'At least ' : ''}${plural(value, 'record')}`
  return shown > 0 && shown < value ? `${amount}, the first ${shown} shown` : amount
}

type AnswerProps = { handle: string; body: QueryBody }

const Answer = ({ handle, body }: AnswerProps) => {
  const { data, error } = useQuery(recordQueryQuery(useSession(), handle, body))
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={5} />
  const { records, linked = [], count, aggregate, hasMore, truncated, receipt, milliseconds } = data
  return (
    <>
      <p className="muted small">
        {toMatches(count, { shown: records.length, hasMore })}
        {body.links && `, ${linked.length}${truncated ? ' or more' : ''} linked`} · {milliseconds} ms ·{' '}
        <Link to={receiptPath(handle, receipt)}>Receipt of the query</Link>
      </p>
      {aggregate && body.aggregate && (
        <QueryGroups
          groups={aggregate.groups}
          hasMore={aggregate.hasMore}
          isExact={aggregate.exact}
          aggregate={body.aggregate}
        />
      )}
      <ol className="context-items">
        {[...records, ...linked.slice(0, shownRecords)].map((record) => (
          <li key={record.id}>
            <Link to={itemPath(handle, { type: 'record', id: record.id })}>{toRecordName(record)}</Link>
            <span className="hit-about">
              <span>{record.kind}</span>
              <span>version {record.version}</span>
              {linked.includes(record) && <span>linked</span>}
            </span>
          </li>
        ))}
      </ol>
      <Json
        label="Result"
        value={aggregate ? { count, aggregate } : { count, records, ...(body.links && { linked }) }}
        depth={1}
      />
    </>
  )
}

/** Queries records by exact conditions on indexed fields, with the records that they link to. */
export const QueryPanel = ({ handle, address }: { handle: string; address: URLSearchParams }) => {
  const schema = useQuery(schemaQuery(useSession(), handle))
  const kinds = schema.data?.schema.kinds ?? []
  const chosen = address.get('kind') ?? ''
  const kind = kinds.find((one) => one.kind === chosen)
  const body = chosen === '' ? undefined : readBody(address, chosen, kind)
  const change = (changes: Record<string, string | undefined>) => navigate(withQuery(changes), { replace: true })
  return (
    <section aria-label="Query" className="playground-panel">
      <div className="panel-line">
        <h2>Query</h2>
      </div>
      <div className="query-fields">
        <Select
          label="Kind"
          value={chosen}
          options={[{ value: '', name: 'Choose one' }, ...kinds.map((one) => ({ value: one.kind, name: one.kind }))]}
          onChange={(value) => change({ kind: value || undefined, where: undefined, by: undefined, of: undefined })}
        />
        <Select
          label="Links"
          value={body?.links?.direction ?? ''}
          options={directions}
          onChange={(value) => change({ links: value || undefined })}
        />
        <GroupChoice kind={kind} aggregate={body?.aggregate} onChange={change} />
      </div>
      {chosen !== '' && (
        <FilterBar
          kind={chosen}
          filterable={listFilterable(kind, [])}
          where={body?.where}
          onChange={(where) => change({ where: toWhereText(where) })}
        />
      )}
      {body === undefined ? (
        <p className="muted">Records of one kind, by exact conditions on indexed fields.</p>
      ) : (
        <Answer handle={handle} body={body} />
      )}
      <ViewAsCode example={queryExample({ baseUrl, handle }, body ?? { kind: 'person', limit: shownRecords })} />
    </section>
  )
}
