import { isObject } from '@noema/contracts/json.ts'
import { baseUrl } from '../base-path.ts'
import { askAt, call, readText } from './auth.ts'

// What the forms before signing in ask of /api/auth. Whoever is signed in does not load it.

/** What an invitation says before it is accepted. */
export type Invitation = { id: string; organizationName: string; inviterEmail: string; role: string }

/** Where the mailed link leads once it has confirmed an address; where it did not, with `error` beside it. */
const callbackURL = `${baseUrl}/?confirmed=true`

type NewAccount = { name: string; email: string; password: string; inviteCode?: string; invitationId?: string }

export const signUp = (account: NewAccount) =>
  call('/sign-up/email', { ...account, callbackURL })

export const signIn = (account: { email: string; password: string }) => call('/sign-in/email', account)

/** Asks the administrators of the service for access. */
export const requestAccess = ({ email, message }: { email: string; message: string }) =>
  askAt('/v1/access-requests', { email, ...(message !== '' && { message }) })

/** Mails the link that confirms an address once more. */
export const resendVerification = (email: string) => call('/send-verification-email', { email, callbackURL })

/** Mails a link that leads to the page for a new password. Says nothing about whether the account exists. */
export const requestPasswordReset = (email: string) => call('/request-password-reset', { email })

/** Mails a link that lets somebody try to sign in again. Says nothing about whether the account exists. */
export const requestUnlock = (email: string) => call('/request-sign-in-unlock', { email })

/** Uses the token of such a link. */
export const unlockSignIn = (token: string) => call('/unlock-sign-in', { token })

export const resetPassword = (choice: { token: string; newPassword: string }) => call('/reset-password', choice)

export const readInvitation = async (id: string): Promise<Invitation> => {
  const found = (await call(`/organization/get-invitation?id=${encodeURIComponent(id)}`)) ?? {}
  return {
    id,
    organizationName: readText(found, 'organizationName'),
    inviterEmail: readText(found, 'inviterEmail'),
    role: readText(found, 'role'),
  }
}

/** Accepts an invitation and answers the organization that was joined. */
export const acceptInvitation = async (invitationId: string): Promise<string> => {
  const invitation = (await call('/organization/accept-invitation', { invitationId }))?.invitation
  return isObject(invitation) ? readText(invitation, 'organizationId') : ''
}
