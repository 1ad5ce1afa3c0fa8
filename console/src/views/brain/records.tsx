import type { BrainRecord } from '@noema/contracts/records.ts'
import { useParams } from '@tanstack/react-router'
import { useCallback } from 'react'
import { Link, navigate, useLocation, withQuery } from '../../address.tsx'
import { listCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Json } from '../../components/json.tsx'
import { ListPage, useListPage } from '../../components/list-page.tsx'
import { Table, VersionRow } from '../../components/table.tsx'
import { ItemLinks } from '../../items/item-links.tsx'
import { itemPath } from '../../items/paths.ts'
import { baseUrl, useSession } from '../../session/session.tsx'

const preview = (fields: BrainRecord['fields']): string =>
  Object.entries(fields)
    .slice(0, 4)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ')

const columns = [['Record'], ['Fields', 'wide'], ['Version', 'wide number'], ['Updated', 'wide']] as const

const RecordCells = ({ record }: { record: BrainRecord }) => (
  <>
    <th scope="row">
      <span className="kind">{record.kind}</span>
      {record.slug && <span className="tag">{record.slug}</span>}
      <CopyId id={record.id} />
      <span className="under">{preview(record.fields)}</span>
    </th>
    <td className="wide preview">{preview(record.fields)}</td>
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
      <TextInput
        label="Kind"
        name="kind"
        defaultValue={kind}
        placeholder="all kinds"
        autoComplete="off"
        className="mono"
      />
    </Form>
  </div>
)

type RecordTableProps = { handle: string; records: readonly BrainRecord[]; openId: string | null }

const RecordTable = ({ handle, records, openId }: RecordTableProps) => (
  <Table columns={columns} hasActions>
    {records.map((record) => (
      <VersionRow
        key={record.id}
        name="record"
        item={record}
        isOpen={record.id === openId}
        cells={<RecordCells record={record} />}
        columns={columns.length + 1}
      >
        <Json label={`Version ${record.version}`} value={record} />
        <ItemLinks handle={handle} item={{ type: 'record', id: record.id }} />
      </VersionRow>
    ))}
  </Table>
)

/** A Brain's records, page by page: all, of one kind, or those that link to one. */
export const RecordList = () => {
  const { client } = useSession()
  const { handle } = useParams({ from: '/brains/$handle' })
  const { search } = useLocation()
  const kind = search.get('kind') ?? undefined
  const linksTo = search.get('linksTo') ?? undefined
  const page = useListPage(
    useCallback(
      (page, options) => client.brain(handle).records.list({ kind, linksTo, ...page }, options),
      [client, handle, kind, linksTo],
    ),
  )
  return (
    <section aria-label="Records">
      <KindFilter kind={kind} />
      {linksTo !== undefined && (
        <p>
          Records that link to <Link to={itemPath(handle, { type: 'record', id: linksTo })}>{linksTo}</Link>.{' '}
          <Link to={withQuery({ linksTo: undefined, after: undefined })}>All records</Link>
        </p>
      )}
      <ListPage page={page} items={page.data?.records} empty={kind ? `No record of kind ${kind}.` : 'No records yet.'}>
        {(records) => <RecordTable handle={handle} records={records} openId={search.get('record')} />}
      </ListPage>
      <ViewAsCode
        example={listCode({ baseUrl, handle }, 'records', { ...(kind && { kind }), ...(linksTo && { linksTo }) })}
      />
    </section>
  )
}
