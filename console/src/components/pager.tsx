import { Link, withQuery } from '../address.tsx'

type PagerProps = { cursor: string | undefined; hasMore: boolean; isFirst: boolean }

/** To the next page of a list, and back to its beginning. The place is in the address, so the browser's back works too. */
export const Pager = ({ cursor, hasMore, isFirst }: PagerProps) => {
  if (isFirst && !hasMore) return null
  return (
    <nav className="pager" aria-label="Pages">
      {!isFirst && (
        <Link to={withQuery({ after: undefined })} className="button small">
          First page
        </Link>
      )}
      {hasMore && (
        <Link to={withQuery({ after: cursor })} className="button small">
          Next page
        </Link>
      )}
    </nav>
  )
}
