import type { Message } from '../../platform/mail/mail.ts'

// What an account's owner is told when the ways into it change: whoever did not do it themselves finds out.

const letter = (to: string, subject: string, happened: string, app: string): Message => ({
  to,
  subject,
  text: `${happened}

If it was not you, choose a new password at once, and look at what lets you in:

${app}/account
`,
})

export const identityLinkedEmail = (to: string, { provider, app }: { provider: string; app: string }): Message =>
  letter(to, 'A way to sign in was added', `From now on this account is signed in to by ${provider}, too.`, app)

export const twoFactorEmail = (to: string, { isOn, app }: { isOn: boolean; app: string }): Message =>
  isOn
    ? letter(
        to,
        'Two-factor codes are on',
        'From now on signing in by password asks for a code, too. Every other session has ended. Keep the backup codes where you find them without your phone.',
        app,
      )
    : letter(to, 'Two-factor codes are off', 'From now on a password alone signs in to this account.', app)

export const backupCodeUsedEmail = (to: string, app: string): Message =>
  letter(
    to,
    'A backup code was used',
    'Somebody signed in to this account with one of its backup codes. Each works once.',
    app,
  )

export const backupCodesMadeEmail = (to: string, app: string): Message =>
  letter(
    to,
    'Backup codes were made anew',
    'The backup codes that this account had before are of no use any more.',
    app,
  )

export const passkeyEmail = (to: string, { isAdded, app }: { isAdded: boolean; app: string }): Message =>
  isAdded
    ? letter(to, 'A passkey was added', 'From now on a new passkey signs in to this account.', app)
    : letter(to, 'A passkey was removed', 'A passkey of this account does not sign in to it any more.', app)
