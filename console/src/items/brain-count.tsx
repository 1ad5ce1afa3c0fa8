import { useQuery } from '@tanstack/react-query'
import { brainQuery } from '../data/brains.ts'
import { toAmount } from '../plural.ts'
import { useSession } from '../session/session.tsx'

const words = { records: ['record', 'records'], documents: ['document', 'documents'] } as const

/** The number of records or documents of a Brain. The line is there before the number, so that nothing moves. */
export const BrainCount = ({ handle, type }: { handle: string; type: keyof typeof words }) => {
  const count = useQuery(brainQuery(useSession(), handle)).data?.brain.counts[type]
  const [one, many] = words[type]
  return (
    <p className="muted small" role="status">
      {count === undefined ? '\u00a0' : `${toAmount(count)} ${count === 1 ? one : many}`}
    </p>
  )
}
