import { Notice } from '../parts/notice.tsx'
import { Link, useLocation, withQuery } from '../router.tsx'

const reasons: Readonly<Record<string, string>> = {
  TOKEN_EXPIRED: 'The link was older than 24 hours. Sign in to have a new one sent.',
  INVALID_TOKEN: 'The link is not whole, or was used already. Open it exactly as the mail shows it.',
  USER_NOT_FOUND: 'The account that the link confirms is gone. Sign up again.',
  INVALID_USER: 'The link confirms another account than the one that is signed in here. Sign out, then open it again.',
}

/** What became of a mailed link that did not work: it leads here with `?error=`. */
export const LinkFailure = () => {
  const { search } = useLocation()
  const error = search.get('error')
  if (error === null) return null
  return (
    <Notice tone="warning" title="The link did not work">
      <p>{reasons[error.toUpperCase()] ?? 'The service refused it. Ask for a new one.'}</p>
      <p className="small">
        Reason <code>{error.slice(0, 100)}</code> · <Link to={withQuery({ error: undefined })}>Dismiss</Link>
      </p>
    </Notice>
  )
}
