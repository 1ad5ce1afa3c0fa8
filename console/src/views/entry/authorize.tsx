import { useCallback, useEffect } from 'react'
import { navigate, useLocation } from '../../address.tsx'
import { Loading } from '../../components/loading.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { useLoaded } from '../../components/use-loaded.ts'
import { entryPath } from '../../pages.ts'
import { useAccount } from '../../session/account.tsx'
import { readAppRequest, toSigning } from '../../session/app-requests.ts'
import { signOut, type User } from '../../session/auth.ts'
import { AppConsent } from './app-consent.tsx'
import { EntryPage } from './entry-page.tsx'

/** Somebody who is not signed in does that first, and comes back. */
const SignedOut = () => {
  const url = useLocation()
  useEffect(() => navigate(entryPath('/sign-in', url), { replace: true }), [url])
  return <Loading />
}

/** The service signs the request for this session and leads back here. */
const Unsigned = ({ search }: { search: URLSearchParams }) => {
  useEffect(() => location.replace(toSigning(search)), [search])
  return <Loading />
}

const SignedIn = ({ signed, search, user }: { signed: string; search: URLSearchParams; user: User }) => {
  const { refresh } = useAccount()
  const load = useCallback(() => readAppRequest(signed), [signed])
  const { data, error } = useLoaded(load)
  const leave = async () => {
    await signOut()
    await refresh()
  }
  if (error !== undefined)
    return (
      <FailureNotice error={error}>
        <a className="button small" href={toSigning(search)}>
          Start again
        </a>
      </FailureNotice>
    )
  if (!data) return <Loading />
  return (
    <>
      <AppConsent request={data} signed={signed} />
      <p className="hint">
        You are signed in as {user.email}.{' '}
        <button type="button" className="link" onClick={leave}>
          Use another account
        </button>
      </p>
    </>
  )
}

/** The request of an app cannot be shown: the app sent something wrong, or is not known here. */
const Wrong = ({ error, description }: { error: string; description: string | null }) => (
  <Notice tone="danger" title="This app cannot be connected">
    <p>
      {error === 'invalid_client'
        ? 'The service does not know this app, or cannot read the web address by which it describes itself. Remove the connection in the app and add it again.'
        : 'The app sent a request that the service does not accept. Start again from the app; if that does not help, tell its makers.'}
    </p>
    <p className="muted">
      {error}
      {description && `: ${description}`}
    </p>
  </Notice>
)

/** The page that an app leads to when it wants to be let in. */
export const Authorize = () => {
  const { search, href } = useLocation()
  const account = useAccount()
  const user = account.status === 'known' ? account.user : undefined
  const error = search.get('error')
  const signed = search.has('sig') ? href.slice(href.indexOf('?') + 1) : undefined
  return (
    <EntryPage title="Connect an app">
      {error !== null && <Wrong error={error} description={search.get('error_description')} />}
      {error === null && !search.has('client_id') && (
        <Notice tone="warning" title="This address is incomplete">
          <p>Apps open this page. Paste the address of an MCP server into the app that you want to connect.</p>
        </Notice>
      )}
      {error === null && search.has('client_id') && (
        <>
          {!user && <SignedOut />}
          {user && signed === undefined && <Unsigned search={search} />}
          {user && signed !== undefined && <SignedIn signed={signed} search={search} user={user} />}
        </>
      )}
    </EntryPage>
  )
}
