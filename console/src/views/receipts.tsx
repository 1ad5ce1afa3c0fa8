import type { Receipt } from '@noema/contracts/receipts.ts'
import type { Client } from '@noema/sdk'
import { useCallback } from 'react'
import { listCode } from '../code/examples.ts'
import { ViewAsCode } from '../parts/code-tabs.tsx'
import { Loading } from '../parts/loading.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Pager } from '../parts/pager.tsx'
import { Time } from '../parts/time.tsx'
import { useLoaded } from '../parts/use-loaded.ts'
import { Link, useLocation, withQuery } from '../router.tsx'
import { baseUrl } from '../session/workspace.tsx'
import { receiptPath, thingPath, thingTypeOf } from '../things/paths.ts'

const perPage = 50

/** Whether all that was served is still what it was. */
export const ReceiptStatus = ({ receipt: { current, moved } }: { receipt: Receipt }) => (
  <span className="status" data-status={current ? 'active' : 'held'}>
    {current ? 'all the same' : `${moved.length} moved`}
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
          {operation} for {consumerId ?? 'nobody named'}
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

const ReceiptTable = ({ receipts, handle }: { receipts: readonly Receipt[]; handle: string }) => (
  <table>
    <thead>
      <tr>
        <th scope="col">Receipt</th>
        <th scope="col">When</th>
        <th scope="col" className="wide number">
          State
        </th>
        <th scope="col" className="wide number">
          Served
        </th>
        <th scope="col">Since then</th>
      </tr>
    </thead>
    <tbody>
      {receipts.map((receipt) => (
        <ReceiptRow key={receipt.id} receipt={receipt} handle={handle} />
      ))}
    </tbody>
  </table>
)

/** The record, statement or document whose receipts the address asks for. */
const useServedThing = () => {
  const { search } = useLocation()
  for (const [name, id] of search) {
    const type = thingTypeOf(name)
    if (type) return { type, id }
  }
  return undefined
}

/** A Brain's receipts, oldest first, all or those that served one thing. */
export const ReceiptList = ({ client, handle }: { client: Client; handle: string }) => {
  const after = useLocation().search.get('after') ?? undefined
  const thing = useServedThing()
  const { type, id } = thing ?? {}
  const load = useCallback(
    (signal: AbortSignal) => {
      const served = type && id !== undefined ? { [type]: id } : {}
      return client.brain(handle).receipts.list({ ...served, after, limit: perPage }, { signal })
    },
    [client, handle, type, id, after],
  )
  const { data, error } = useLoaded(load)
  return (
    <section aria-label="Receipts">
      {thing && (
        <p>
          Of what read the {thing.type} <Link to={thingPath(handle, thing)}>{thing.id}</Link>.{' '}
          <Link to={withQuery({ [thing.type]: undefined, after: undefined })}>All receipts</Link>
        </p>
      )}
      {error !== undefined && <FailureNotice error={error} />}
      {!data && error === undefined && <Loading />}
      {data && data.receipts.length === 0 && (
        <p className="empty">No receipts yet. Every search, context and query leaves one.</p>
      )}
      {data && data.receipts.length > 0 && <ReceiptTable receipts={data.receipts} handle={handle} />}
      {data && <Pager cursor={data.cursor} hasMore={data.hasMore} isFirst={after === undefined} />}
      <ViewAsCode example={listCode({ baseUrl, handle }, 'receipts', thing ? { [thing.type]: thing.id } : {})} />
    </section>
  )
}
