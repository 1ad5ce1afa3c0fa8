import type { Message } from '../../platform/mail/mail.ts'

// Emails about changes to how an account signs in, so that its owner notices changes by others.

const email = (to: string, subject: string, happened: string, app: string): Message => ({
  to,
  subject,
  text: `${happened}

If it was not you, choose a new password at once and check your sign-in methods:

${app}/account
`,
})

export const identityLinkedEmail = (to: string, { provider, app }: { provider: string; app: string }): Message =>
  email(to, 'A way to sign in was added', `You can now also sign in to this account with ${provider}.`, app)

export const twoFactorEmail = (to: string, { isOn, app }: { isOn: boolean; app: string }): Message =>
  isOn
    ? email(
        to,
        'Two-factor codes are on',
        'Signing in with your password now also needs a code. All other sessions were signed out. Keep the backup codes where you can find them without your phone.',
        app,
      )
    : email(to, 'Two-factor codes are off', 'Your password alone now signs in to this account.', app)

export const backupCodeUsedEmail = (to: string, app: string): Message =>
  email(
    to,
    'A backup code was used',
    'Someone signed in to this account with one of its backup codes. Each code works once.',
    app,
  )

export const backupCodesMadeEmail = (to: string, app: string): Message =>
  email(to, 'Backup codes were replaced', 'The earlier backup codes of this account no longer work.', app)

export const passkeyEmail = (to: string, { isAdded, app }: { isAdded: boolean; app: string }): Message =>
  isAdded
    ? email(to, 'A passkey was added', 'A new passkey can now sign in to this account.', app)
    : email(to, 'A passkey was removed', 'A passkey of this account can no longer sign in.', app)
