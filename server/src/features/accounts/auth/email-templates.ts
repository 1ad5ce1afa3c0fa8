import type { Message } from '../../platform/mail/mail.ts'

// What the service writes to people. Names come from strangers, so they are cut and kept to one line.

const inLine = (text: string): string =>
  text
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, 100)

export const verificationEmail = (to: string, link: string): Message => ({
  to,
  subject: 'Confirm your address',
  text: `Someone signed up to Noema with this address. If it was you, confirm it by opening this link:

${link}

The link works for 24 hours. If it was not you, ignore this message.
`,
})

export const passwordEmail = (to: string, link: string): Message => ({
  to,
  subject: 'Choose a new password',
  text: `Someone asked for a new password for this address. If it was you, choose one here:

${link}

The link works for one hour. If it was not you, ignore this message: your password stays as it is.
`,
})

export const invitationEmail = (
  to: string,
  invitation: { id: string; organization: string; inviter: string; link: string },
): Message => ({
  to,
  subject: `Invitation to ${inLine(invitation.organization)}`,
  text: `${inLine(invitation.inviter)} invites you to join ${inLine(invitation.organization)} on Noema. Sign in or sign up with this address, then accept here:

${invitation.link}

The invitation's id is ${invitation.id}. If you do not expect it, ignore this message.
`,
})
