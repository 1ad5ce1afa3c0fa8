import { isObject } from '@noema/contracts/json.ts'
import { baseUrl } from '../base-path.ts'
import { AuthError, call, readText } from './auth.ts'

// Sign-in methods besides a password: the operator's provider, passkeys, and two-factor codes.

/** The sign-in methods of this service. */
export type Methods = {
  password: boolean
  passkey: boolean
  provider: string | undefined
  /** The rule for creating an account with a password. */
  signUp: 'open' | 'invited' | 'closed'
}

/** True if this page can use passkeys: they are bound to a domain, and browsers offer them on secure pages only. */
const canUsePasskeys = (domain: string): boolean =>
  'PublicKeyCredential' in window &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  (location.hostname === domain || location.hostname.endsWith(`.${domain}`))

export const readMethods = async (): Promise<Methods> => {
  const { password, passkey, openId, signUp } = (await call('/sign-in-methods')) ?? {}
  const domain = isObject(passkey) ? readText(passkey, 'domain') : ''
  return {
    password: password !== false,
    passkey: domain !== '' && canUsePasskeys(domain),
    provider: isObject(openId) ? readText(openId, 'name') : undefined,
    signUp: signUp === 'invited' || signUp === 'closed' ? signUp : 'open',
  }
}

/** Redirects to the provider, which returns to `next`, or to the sign-in page on failure. An invitation code is passed along. */
export const leaveForProvider = async (next: string, inviteCode: string | null): Promise<void> => {
  const failed = `${baseUrl}/sign-in?${new URLSearchParams({ by: 'provider', next })}`
  const code = inviteCode === null ? {} : { inviteCode }
  const body = { provider: 'oidc', callbackURL: baseUrl + next, errorCallbackURL: failed, ...code }
  const url = readText((await call('/sign-in/social', body)) ?? {}, 'url')
  location.assign(url)
}

/** Sends a code from the authenticator app, or a backup code. */
export const showCode = (code: string, isBackup: boolean) =>
  call(isBackup ? '/two-factor/verify-backup-code' : '/two-factor/verify-totp', { code: code.trim() })

/** A dismissed browser dialog is a decision; every other failure is reported. */
const askDevice = async (question: Promise<Credential | null>): Promise<PublicKeyCredential> => {
  let given: Credential | null
  try {
    given = await question
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError'
    throw new Error(
      isKnown
        ? 'This device already has a passkey for the account.'
        : 'No passkey was used. Try again when you are ready.',
    )
  }
  if (given instanceof PublicKeyCredential) return given
  throw new Error('The browser returned no passkey.')
}

export const signInByPasskey = async (): Promise<void> => {
  // WebAuthn's own format, which the browser reads and checks.
  const options = (await call('/passkey/generate-authenticate-options')) as
    | PublicKeyCredentialRequestOptionsJSON
    | undefined
  if (!options) throw new Error('The service returned no options.')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await askDevice(navigator.credentials.get({ publicKey }))
  await call('/passkey/verify-authentication', { response: credential.toJSON() })
}

export const addPasskey = async (name: string): Promise<void> => {
  const options = (await call('/passkey/generate-register-options')) as
    | PublicKeyCredentialCreationOptionsJSON
    | undefined
  if (!options) throw new Error('The service returned no options.')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await askDevice(navigator.credentials.create({ publicKey }))
  await call('/passkey/verify-registration', { response: credential.toJSON(), name })
}

/** True if a sign-in requires a two-factor code. */
export const wantsCode = (answer: unknown): boolean => isObject(answer) && answer.twoFactorRedirect === true

/** True if the session is too old for the request. */
export const isStale = (error: unknown): boolean => error instanceof AuthError && error.code === 'SESSION_NOT_FRESH'
