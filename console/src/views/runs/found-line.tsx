import { Button } from '../../components/button.tsx'
import { toAmount } from '../../plural.ts'

type FoundLineProps = {
  /** Undefined where nothing narrows the list. */
  found: number | undefined
  hasMore: boolean
  /** One, and many. */
  what: readonly [string, string]
  isSearching: boolean
  /** True if older items were not searched. */
  isCut: boolean
  onMore: () => void
}

/** The number of items that a filter has found so far, and whether the search goes on. */
export const FoundLine = ({ found, hasMore, what: [one, many], isSearching, isCut, onMore }: FoundLineProps) => {
  if (found === undefined) return null
  const amount = `${toAmount(found)} ${found === 1 ? one : many}`
  return (
    <p className="muted small found-line" role="status">
      {isSearching ? `${amount} so far. Searching older ones…` : hasMore ? `${amount} so far` : amount}
      {isCut && (
        <Button size="small" onClick={onMore}>
          Search further back
        </Button>
      )}
    </p>
  )
}
