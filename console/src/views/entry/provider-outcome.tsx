import { useLocation } from '../../address.tsx'
import { Notice } from '../../components/notice.tsx'
import { useMethods } from '../../session/use-methods.ts'

/** The reason why the sign-in with the provider failed. No text of the URL is shown verbatim. */
const reasons: Readonly<Record<string, (name: string) => string>> = {
  email_not_found: (name) =>
    `${name} has no verified email address of yours that is accepted here. Ask your administrator.`,
  other_identity_linked: (name) =>
    `The account with your email address belongs to another ${name} user. Ask your administrator.`,
  signup_disabled: (name) =>
    `New accounts cannot sign up with ${name} here. Ask for an invitation, or sign in to your existing account.`,
  access_denied: (name) => `The sign-in at ${name} was canceled. Try again if that was a mistake.`,
  provider_unavailable: (name) => `${name} does not respond correctly. Try again in a minute.`,
  state_mismatch: () => 'The sign-in took too long, or started in another browser. Try again.',
}

/** The outcome of a sign-in with the provider. */
export const ProviderOutcome = () => {
  const { search } = useLocation()
  const name = useMethods()?.provider ?? 'The provider'
  const error = search.get('error')
  if (error === null) return null
  const describe = reasons[error] ?? (() => `Sign-in with ${name} failed. Try again.`)
  return (
    <Notice tone="warning" title="You are not signed in">
      <p>{describe(name)}</p>
    </Notice>
  )
}

/** True if the URL reports a provider's outcome, not that of an emailed link. */
export const isOfProvider = (search: URLSearchParams): boolean =>
  search.get('by') === 'provider' || Object.hasOwn(reasons, search.get('error') ?? '')
