import type { Message } from '../../platform/mail/mail.ts'

// What the service writes to people. Words of strangers never stand in a subject. In a text they are quoted, cut, and kept to
// one line; and where they lead somewhere, or have a number to call, they are left out.

const inLine = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 100)

/** A link, a host's name, an address, or six digits with nothing but separators between them. */
const leadsAway = /:\/\/|www\.|[\p{L}\p{N}]\.\p{L}{2}|@|\p{N}(?:[^\p{L}\p{N}]{0,3}\p{N}){5}/iu

/** Somebody's words, as a text shows them. */
const quote = (words: string): string => {
  const shown = inLine(words)
  return shown === '' || leadsAway.test(shown) ? 'an organization whose name is not shown here' : `“${shown}”`
}

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
  subject: 'Invitation to an organization',
  text: `${invitation.inviter} invites you to join ${quote(invitation.organization)} on Noema. Sign in or sign up with this address, then accept here:

${invitation.link}

The invitation's id is ${invitation.id}. If you do not expect it, ignore this message.
`,
})
