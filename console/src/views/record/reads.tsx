import '../../styles/inline-inputs.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { type ReceiptFilter, receiptPagesQuery } from '../../data/receipts.ts'
import { toReaderName } from '../../items/reader.tsx'
import { useSession } from '../../session/session.tsx'

type ReadsProps = { handle: string; item: { type: 'record' | 'statement' | 'document'; id: string } }

/** The readers of an item: the receipts of reads that served it, newest first, with the served version. */
export const Reads = ({ handle, item: { type, id } }: ReadsProps) => {
  const filter: ReceiptFilter = { [type]: id }
  const query = useInfiniteQuery(receiptPagesQuery(useSession(), handle, filter))
  if (query.error) return <FailureNotice error={query.error} />
  if (!query.data) return <Skeleton lines={6} />
  const receipts = query.data.pages.flatMap((page) => page.receipts)
  const listed = { record: 'records', statement: 'statements', document: 'documents' } as const
  if (receipts.length === 0) return <p className="muted">No reads yet.</p>
  return (
    <section aria-label="Readers">
      <table className="dense">
        <thead>
          <tr>
            <th scope="col">Reader</th>
            <th scope="col" className="wide">
              By
            </th>
            <th scope="col" className="wide">
              Version
            </th>
            <th scope="col">Since</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {receipts.map((receipt) => (
            <tr key={receipt.id}>
              <th scope="row">
                <Link to="/brains/$handle/receipts/$id" params={{ handle, id: receipt.id }}>
                  {toReaderName(receipt.consumerId)}
                </Link>
              </th>
              <td className="wide">{receipt.operation}</td>
              <td className="wide">{receipt.served[listed[type]].find((one) => one.id === id)?.version}</td>
              <td>{receipt.moved.some(({ ref }) => ref.type === type && ref.id === id) ? 'changed' : 'unchanged'}</td>
              <td>
                <Time iso={receipt.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {query.hasNextPage && (
        <button type="button" className="button small" onClick={() => query.fetchNextPage()}>
          Show more
        </button>
      )}
    </section>
  )
}
