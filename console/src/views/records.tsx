import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Client } from '@noema/sdk'
import { useCallback } from 'react'
import { listCode } from '../code/examples.ts'
import { ViewAsCode } from '../parts/code-tabs.tsx'
import { CopiedId } from '../parts/copied-id.tsx'
import { Field, textIn } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Json } from '../parts/json.tsx'
import { Loading } from '../parts/loading.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Pager } from '../parts/pager.tsx'
import { Time } from '../parts/time.tsx'
import { useLoaded } from '../parts/use-loaded.ts'
import { Link, navigate, useLocation, withQuery } from '../router.tsx'
import { baseUrl } from '../session/workspace.tsx'
import { ThingLinks } from '../things/thing-links.tsx'

const perPage = 50

const preview = (fields: BrainRecord['fields']): string =>
  Object.entries(fields)
    .slice(0, 4)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ')

type RecordRowProps = { handle: string; record: BrainRecord; isOpen: boolean }

const RecordRow = ({ handle, record, isOpen }: RecordRowProps) => (
  <>
    <tr>
      <th scope="row">
        <span className="kind">{record.kind}</span>
        {record.slug && <span className="tag">{record.slug}</span>}
        <CopiedId id={record.id} />
        <span className="under">{preview(record.fields)}</span>
      </th>
      <td className="wide preview">{preview(record.fields)}</td>
      <td className="wide number">{record.version}</td>
      <td className="wide">
        <Time iso={record.updatedAt} />
      </td>
      <td className="end">
        <Link to={withQuery({ record: isOpen ? undefined : record.id })} className="button small">
          {isOpen ? 'Close' : 'Open'}
        </Link>
      </td>
    </tr>
    {isOpen && (
      <tr className="opened">
        <td colSpan={5}>
          <Json label={`Version ${record.version}`} value={record} />
          <ThingLinks handle={handle} thing={{ type: 'record', id: record.id }} />
        </td>
      </tr>
    )}
  </>
)

const KindFilter = ({ kind }: { kind: string | undefined }) => (
  <div className="filter" key={kind}>
    <Form
      submit="Filter"
      onSubmit={async (form) =>
        navigate(withQuery({ kind: textIn(form, 'kind') || undefined, after: undefined, record: undefined }))
      }
    >
      <Field label="Kind" name="kind" defaultValue={kind} placeholder="all kinds" autoComplete="off" className="mono" />
    </Form>
  </div>
)

type RecordTableProps = { handle: string; records: readonly BrainRecord[]; openId: string | null }

const RecordTable = ({ handle, records, openId }: RecordTableProps) => (
  <table>
    <thead>
      <tr>
        <th scope="col">Record</th>
        <th scope="col" className="wide">
          Fields
        </th>
        <th scope="col" className="wide number">
          Version
        </th>
        <th scope="col" className="wide">
          Updated
        </th>
        <td />
      </tr>
    </thead>
    <tbody>
      {records.map((record) => (
        <RecordRow key={record.id} handle={handle} record={record} isOpen={record.id === openId} />
      ))}
    </tbody>
  </table>
)

/** A Brain's records, page by page, all or of one kind. */
export const RecordList = ({ client, handle }: { client: Client; handle: string }) => {
  const { search } = useLocation()
  const kind = search.get('kind') ?? undefined
  const after = search.get('after') ?? undefined
  const load = useCallback(
    (signal: AbortSignal) => client.brain(handle).records.list({ kind, after, limit: perPage }, { signal }),
    [client, handle, kind, after],
  )
  const { data, error } = useLoaded(load)
  return (
    <section aria-label="Records">
      <KindFilter kind={kind} />
      {error !== undefined && <FailureNotice error={error} />}
      {!data && error === undefined && <Loading />}
      {data && data.records.length === 0 && (
        <p className="empty">{kind ? `No record of kind ${kind}.` : 'No records yet.'}</p>
      )}
      {data && data.records.length > 0 && (
        <RecordTable handle={handle} records={data.records} openId={search.get('record')} />
      )}
      {data && <Pager cursor={data.cursor} hasMore={data.hasMore} isFirst={after === undefined} />}
      <ViewAsCode example={listCode({ baseUrl, handle }, 'records', kind ? { kind } : {})} />
    </section>
  )
}
