import { isObject } from '@noema/contracts/json.ts'
import { baseUrl } from '../base-path.ts'
import { askAt, call, readText } from './auth.ts'

// The calls of the forms before sign-in. Pages behind the sign-in do not load this file.

/** The content of an invitation before it is accepted. */
export type Invitation = { id: string; organizationName: string; inviterEmail: string; role: string }

/** The target of the emailed confirmation link; on failure, it also has `error`. */
const callbackURL = `${baseUrl}/?confirmed=true`

type NewAccount = { name: string; email: string; password: string; inviteCode?: string; invitationId?: string }

export const signUp = (account: NewAccount) => call('/sign-up/email', { ...account, callbackURL })

export const signIn = (account: { email: string; password: string }) => call('/sign-in/email', account)

/** Requests access from the administrators of the service. */
export const requestAccess = ({ email, message }: { email: string; message: string }) =>
  askAt('/v1/access-requests', { email, ...(message !== '' && { message }) })

/** Sends the confirmation email again. */
export const resendVerification = (email: string) => call('/send-verification-email', { email, callbackURL })

/** Sends an email with a link to set a new password. The response does not reveal whether the account exists. */
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

/** Accepts an invitation and returns the joined organization. */
export const acceptInvitation = async (invitationId: string): Promise<string> => {
  const invitation = (await call('/organization/accept-invitation', { invitationId }))?.invitation
  return isObject(invitation) ? readText(invitation, 'organizationId') : ''
}
