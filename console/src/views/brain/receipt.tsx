import type { Moved, Receipt } from '@noema/contracts/receipts.ts'
import { useParams } from '@tanstack/react-router'
import { useCallback } from 'react'
import { Link } from '../../address.tsx'
import { baseUrl } from '../../base-path.ts'
import { readCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Loading } from '../../components/loading.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useLoaded } from '../../components/use-loaded.ts'
import { type ItemRef, itemPath } from '../../items/paths.ts'
import { useSession } from '../../session/session.tsx'
import { ReceiptStatus } from './receipts.tsx'

type Served = ItemRef & { version: number }

const listServed = ({ served }: Receipt): Served[] => [
  ...served.records.map((one) => ({ ...one, type: 'record' as const })),
  ...served.statements.map((one) => ({ ...one, type: 'statement' as const })),
  ...served.documents.map((one) => ({ ...one, type: 'document' as const })),
]

const Now = ({ item, move, handle }: { item: ItemRef; move: Moved | undefined; handle: string }) => {
  if (!move) return <span className="muted">unchanged</span>
  return (
    <>
      {move.to === null ? 'no longer live' : <Link to={itemPath(handle, item)}>version {move.to}</Link>}
      <span className="under always">
        by <CopyId id={move.change} what="the change" />
      </span>
    </>
  )
}

const columns = [['Served'], ['Type', 'wide'], ['Version'], ['Now']] as const

const ServedTable = ({ receipt, handle }: { receipt: Receipt; handle: string }) => {
  const findMove = (item: Served) =>
    receipt.moved.find(({ ref, from }) => ref.type === item.type && ref.id === item.id && from === item.version)
  const movedFirst = listServed(receipt).sort((a, b) => Number(!findMove(a)) - Number(!findMove(b)))
  return (
    <Table columns={columns}>
      {movedFirst.map((item) => (
        <tr key={`${item.type} ${item.id} ${item.version}`}>
          <th scope="row">
            <Link to={itemPath(handle, item, { asOf: receipt.stateVersion })}>{item.id}</Link>
            <span className="under">{item.type}</span>
          </th>
          <td className="wide">{item.type}</td>
          <td>{item.version}</td>
          <td>
            <Now item={item} move={findMove(item)} handle={handle} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

const ReceiptFacts = ({ receipt }: { receipt: Receipt }) => (
  <dl className="facts">
    <div>
      <dt>Operation</dt>
      <dd>{receipt.operation}</dd>
    </div>
    <div>
      <dt>Consumer</dt>
      <dd>{receipt.consumerId ?? <span className="muted">not given</span>}</dd>
    </div>
    <div>
      <dt>When</dt>
      <dd>
        <Time iso={receipt.at} />
      </dd>
    </div>
    <div>
      <dt>State</dt>
      <dd>{receipt.stateVersion.toLocaleString('en')}</dd>
    </div>
    <div>
      <dt>Since then</dt>
      <dd>
        <ReceiptStatus receipt={receipt} />
      </dd>
    </div>
  </dl>
)

/** One receipt: what a search, context or query served, and what of it has moved since. */
export const ReceiptPage = () => {
  const { client } = useSession()
  const { handle, id } = useParams({ from: '/brains/$handle/receipts/$id' })
  const load = useCallback(
    (signal: AbortSignal) => client.brain(handle).receipts.get(id, { signal }),
    [client, handle, id],
  )
  const { data, error } = useLoaded(load)
  if (error !== undefined) return <FailureNotice error={error} />
  if (!data) return <Loading />
  const { receipt } = data
  return (
    <section aria-label="Receipt">
      <div>
        <h2>Receipt</h2>
        <CopyId id={receipt.id} />
      </div>
      <ReceiptFacts receipt={receipt} />
      {listServed(receipt).length === 0 ? (
        <p className="empty">Nothing was returned: there were no results.</p>
      ) : (
        <ServedTable receipt={receipt} handle={handle} />
      )}
      <p className="hint">A receipt contains ids and versions, never the text or the question.</p>
      <ViewAsCode example={readCode({ baseUrl, handle }, { what: 'receipts', id })} />
    </section>
  )
}
