import { BrainCount } from '../../items/brain-count.tsx'
import { toAmount } from '../../plural.ts'

type DocumentCountProps = {
  handle: string
  source: string | undefined
  query: { data: { pages: readonly { documents: readonly unknown[] }[] } | undefined; hasNextPage: boolean }
}

/** The number of documents in the list: all of the Brain, or those of a source as far as they are loaded. */
export const DocumentCount = ({ handle, source, query: { data, hasNextPage } }: DocumentCountProps) => {
  if (source === undefined) return <BrainCount handle={handle} type="documents" />
  const count = data?.pages.reduce((sum, { documents }) => sum + documents.length, 0)
  const amount = count !== undefined && `${toAmount(count)} ${count === 1 ? 'document' : 'documents'}`
  return (
    <p className="muted small" role="status">
      {amount ? `${hasNextPage ? 'At least ' : ''}${amount} from ${source}` : '\u00a0'}
    </p>
  )
}
