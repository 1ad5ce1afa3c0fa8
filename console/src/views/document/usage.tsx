import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { citingStatementsQuery, maxStatementsExamined } from '../../data/documents.ts'
import { toCellText } from '../../data/record-text.ts'
import { ItemLink } from '../../items/item-link.tsx'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { Reads } from '../record/reads.tsx'

/** Statements that cite a document, with the words that they cite. */
const Citing = ({ handle, id }: { handle: string; id: string }) => {
  const { data, error } = useQuery(citingStatementsQuery(useSession(), handle, id))
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={3} />
  return (
    <div className="relations">
      <h3>Statements that cite it</h3>
      {data.statements.length === 0 && <p className="muted">None.</p>}
      <ul>
        {data.statements.map(({ id: statement, subject, predicate, object, sources }) => (
          <li key={statement}>
            <ItemLink handle={handle} item={{ type: 'record', id: subject.id }} />{' '}
            <Link to="/brains/$handle/statements/$id" params={{ handle, id: statement }}>
              {predicate}
            </Link>{' '}
            {'record' in object ? (
              <ItemLink handle={handle} item={{ type: 'record', id: object.record.id }} />
            ) : (
              toCellText(object.value)
            )}
            {sources
              .filter(({ document, quote }) => document === id && quote !== undefined)
              .map(({ quote }) => (
                <q key={quote} className="muted">
                  {quote}
                </q>
              ))}
          </li>
        ))}
      </ul>
      {data.isCut && (
        <p className="muted">Only the newest {toAmount(maxStatementsExamined)} statements were searched.</p>
      )}
    </div>
  )
}

/** The uses of a document: statements that cite it, and reads that served it. */
export const Usage = ({ handle, id }: { handle: string; id: string }) => (
  <>
    <Citing handle={handle} id={id} />
    <Reads handle={handle} item={{ type: 'document', id }} />
  </>
)
