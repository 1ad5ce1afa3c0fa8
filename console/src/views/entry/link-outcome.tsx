import { Link, useLocation, withQuery } from '../../address.tsx'
import { Notice } from '../../components/notice.tsx'
import { useAccount } from '../../session/account.tsx'

const reasons: Readonly<Record<string, string>> = {
  TOKEN_EXPIRED: 'The link has expired after 24 hours. Sign in to get a new one.',
  INVALID_TOKEN: 'The link is incomplete or was already used. Open the complete link from the email.',
  USER_NOT_FOUND: 'The account of this link no longer exists. Sign up again.',
  INVALID_USER: 'The link belongs to another account. Sign out, then open it again.',
}

const Failed = ({ error }: { error: string }) => (
  <Notice tone="warning" title="The link did not work">
    <p>{reasons[error.toUpperCase()] ?? 'The service refused the link. Request a new one.'}</p>
    <p className="small">
      Reason <code>{error.slice(0, 100)}</code> ·{' '}
      <Link to={withQuery({ error: undefined, confirmed: undefined })}>Dismiss</Link>
    </p>
  </Notice>
)

/** The outcome of an emailed link, which opens this page with `?confirmed=`, and with `&error=` on failure. */
export const LinkOutcome = () => {
  const { search } = useLocation()
  const { status, ...account } = useAccount()
  const error = search.get('error')
  if (error !== null) return <Failed error={error} />
  if (!search.has('confirmed')) return null
  const isSignedIn = status === 'known' && 'user' in account && account.user !== undefined
  return (
    <Notice tone="good" title="Your email address is confirmed">
      <p>{isSignedIn ? 'The lower limits of a new account no longer apply.' : 'Sign in to continue.'}</p>
    </Notice>
  )
}
