import { useQuery } from '@tanstack/react-query'
import { brainQuery } from '../../data/brains.ts'
import { useSession } from '../../session/session.tsx'

type DocumentCountProps = {
  handle: string
  source: string | undefined
  query: { data: { pages: readonly { documents: readonly unknown[] }[] } | undefined; hasNextPage: boolean }
}

/** How many documents the list has: all of the Brain, or those of a source as far as they are loaded. */
export const DocumentCount = ({ handle, source, query: { data, hasNextPage } }: DocumentCountProps) => {
  const total = useQuery(brainQuery(useSession(), handle)).data?.brain.counts.documents
  const loaded = data?.pages.reduce((sum, { documents }) => sum + documents.length, 0)
  const count = source === undefined ? total : loaded
  const amount =
    count === undefined ? undefined : `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'}`
  // The line is there before the number, so that nothing moves.
  return (
    <p className="muted small" role="status">
      {amount === undefined ? '\u00a0' : source !== undefined && hasNextPage ? `At least ${amount}` : amount}
    </p>
  )
}
