import type { Receipt } from '@noema/contracts/receipts.ts'
import { useParams } from '@tanstack/react-router'
import { useCallback } from 'react'
import { Link, useLocation, withQuery } from '../../address.tsx'
import { baseUrl } from '../../base-path.ts'
import { listCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { ListPage, useListPage } from '../../components/list-page.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { itemPath, receiptPath, toItemType } from '../../items/paths.ts'
import { useSession } from '../../session/session.tsx'

/** Whether all that was served is still what it was. */
export const ReceiptStatus = ({ receipt: { current, moved } }: { receipt: Receipt }) => (
  <span className="status" data-status={current ? 'active' : 'held'}>
    {current ? 'unchanged' : `${moved.length} changed`}
  </span>
)

const ReceiptRow = ({ receipt, handle }: { receipt: Receipt; handle: string }) => {
  const { id, operation, consumerId, at, stateVersion, served } = receipt
  const count = served.records.length + served.statements.length + served.documents.length
  return (
    <tr>
      <th scope="row">
        <Link to={receiptPath(handle, id)} className="mono">
          {id}
        </Link>
        <span className="under always">
          {operation} for {consumerId ?? 'an unnamed consumer'}
        </span>
      </th>
      <td>
        <Time iso={at} />
      </td>
      <td className="wide number">{stateVersion.toLocaleString('en')}</td>
      <td className="wide number">{count}</td>
      <td>
        <ReceiptStatus receipt={receipt} />
      </td>
    </tr>
  )
}

const columns = [['Receipt'], ['When'], ['State', 'wide number'], ['Served', 'wide number'], ['Since then']] as const

const ReceiptTable = ({ receipts, handle }: { receipts: readonly Receipt[]; handle: string }) => (
  <Table columns={columns}>
    {receipts.map((receipt) => (
      <ReceiptRow key={receipt.id} receipt={receipt} handle={handle} />
    ))}
  </Table>
)

/** The record, statement or document whose receipts the address asks for. */
const useServedItem = () => {
  const { search } = useLocation()
  for (const [name, id] of search) {
    const type = toItemType(name)
    if (type) return { type, id }
  }
  return undefined
}

/** A Brain's receipts, newest first, all or those that served one thing. */
export const ReceiptList = () => {
  const { client } = useSession()
  const { handle } = useParams({ from: '/brains/$handle' })
  const item = useServedItem()
  const { type, id } = item ?? {}
  const page = useListPage(
    useCallback(
      (page, options) =>
        client
          .brain(handle)
          .receipts.list({ ...(type && id !== undefined && { [type]: id }), order: 'desc', ...page }, options),
      [client, handle, type, id],
    ),
  )
  return (
    <section aria-label="Receipts">
      {item && (
        <p>
          Reads that returned the {item.type} <Link to={itemPath(handle, item)}>{item.id}</Link>.{' '}
          <Link to={withQuery({ [item.type]: undefined, after: undefined })}>All receipts</Link>
        </p>
      )}
      <ListPage
        page={page}
        items={page.data?.receipts}
        empty="No receipts yet. Every search, context and query stores one."
      >
        {(receipts) => <ReceiptTable receipts={receipts} handle={handle} />}
      </ListPage>
      <ViewAsCode
        example={listCode({ baseUrl, handle }, 'receipts', { ...(item && { [item.type]: item.id }), order: 'desc' })}
      />
    </section>
  )
}
