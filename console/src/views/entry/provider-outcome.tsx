import { useLocation } from '../../address.tsx'
import { Notice } from '../../components/notice.tsx'
import { useMethods } from '../../session/use-methods.ts'

/** Why the way over the provider led nowhere. Nothing of what the address says is shown as it is. */
const reasons: Readonly<Record<string, (name: string) => string>> = {
  email_not_found: (name) =>
    `${name} did not vouch for an address of yours that may be used here. Ask your administrator.`,
  other_identity_linked: (name) =>
    `The account of your address belongs to another person of ${name}. Ask your administrator.`,
  signup_disabled: (name) =>
    `Nobody new comes in by ${name} here. Ask for an invitation, or sign in to the account that you have.`,
  access_denied: (name) => `${name} was asked not to let you in. Try again if that was a mistake.`,
  provider_unavailable: (name) => `${name} does not answer as it should. Try again in a minute.`,
  state_mismatch: () => 'This took too long, or was begun in another browser. Try again.',
}

/** What became of the way over the provider, where it led back to here. */
export const ProviderOutcome = () => {
  const { search } = useLocation()
  const name = useMethods()?.provider ?? 'The provider'
  const error = search.get('error')
  if (error === null) return null
  const tell = reasons[error] ?? (() => `Signing in by ${name} did not work. Try again.`)
  return (
    <Notice tone="warning" title="You are not signed in">
      <p>{tell(name)}</p>
    </Notice>
  )
}

/** Whether an address tells of that, and not of a mailed link. */
export const isOfProvider = (search: URLSearchParams): boolean =>
  search.get('by') === 'provider' || Object.hasOwn(reasons, search.get('error') ?? '')
