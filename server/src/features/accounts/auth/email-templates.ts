import type { Message } from '../../platform/mail/mail.ts'
import { quote } from '../../platform/mail/quote.ts'
import type { EndedAccess } from './ended-access.ts'

// Emails to people about their accounts. A subject never has words of strangers.

export const verificationEmail = (to: string, link: string): Message => ({
  ...{ to, kind: 'confirmation', hours: 24 },
  subject: 'Confirm your address',
  text: `Someone signed up to Noema with this address. If it was you, confirm it by opening this link in the browser where you signed up:

${link}

Opened anywhere else, the link confirms the address too, but it signs everyone out and revokes the keys that were made so far, because someone else may have signed up.

The link works for 24 hours. If it was not you, ignore this message.
`,
})

export const passwordEmail = (to: string, link: string): Message => ({
  ...{ to, kind: 'password', hours: 1 },
  subject: 'Choose a new password',
  text: `Someone asked for a new password for this address. If it was you, choose one here:

${link}

The link works for one hour. If it was not you, ignore this message: your password stays as it is.
`,
})

export const unlockEmail = (to: string, link: string): Message => ({
  ...{ to, kind: 'sign_in', hours: 0.25 },
  subject: 'Sign in again',
  text: `There were too many attempts to sign in to your account, so sign-ins are stopped for a while. If you want to sign in now, open this link in the browser where you sign in, then enter your password:

${link}

The link works once, for 15 minutes. If it was not you, ignore this message.
`,
})

export const invitationEmail = (
  to: string,
  invitation: { id: string; organization: string; inviter: string; link: string },
): Message => ({
  ...{ to, kind: 'invitation', hours: 48 },
  subject: 'Invitation to an organization',
  text: `${invitation.inviter} invites you to join ${quote(invitation.organization, 'an organization')} on Noema. Sign in or sign up with this address, then accept here:

${invitation.link}

The invitation's id is ${invitation.id}. If you do not expect it, ignore this message.
`,
})

const maxListed = 20

const listed = (lines: readonly string[]): string[] =>
  lines.length <= maxListed ? [...lines] : [...lines.slice(0, maxListed), `${lines.length - maxListed} more`]

const toLine = ({ id, name, brain }: EndedAccess['brainKeys'][number]): string =>
  `Brain key ${quote(name, 'a key')} (${id}) of the Brain ${brain}`

const toProviderLine = ({ name, baseUrl }: EndedAccess['providers'][number]): string =>
  `provider ${name}${baseUrl === null ? '' : ` at ${new URL(baseUrl).host}`}`

const toConnectorLine = ({ name, url }: EndedAccess['connectors'][number]): string =>
  `connector ${name} at ${new URL(url).host}`

const toTriggerLine = ({ id, name }: EndedAccess['triggers'][number]): string =>
  `trigger ${quote(name, 'a trigger')} (${id})`

const toAgentLine = ({ id, name }: EndedAccess['remainingAgents'][number]): string =>
  `agent ${quote(name, 'an agent')} (${id})`

const toPausedLine = ({ id, brain, url }: EndedAccess['pausedWebhooks'][number]): string =>
  `webhook ${id} of ${brain === null ? 'the organization' : `the Brain ${brain}`}, to ${new URL(url).host}`

const toList = (lines: readonly string[]): string => lines.map((line) => `- ${line}\n`).join('')

/** Webhooks that were paused. */
const listPaused = ({ pausedWebhooks }: EndedAccess): string =>
  pausedWebhooks.length === 0
    ? ''
    : `These webhooks were made by others, but this account set their address or has seen their secret. They are paused. Check each address and send it again to resume; rotate the secret.

${toList(listed(pausedWebhooks.map(toPausedLine)))}
`

const toScheduleLine = ({ id, cron }: EndedAccess['schedules'][number]): string => `schedule ${id} (${cron})`

const listEnded = (
  { managementKeys, brainKeys, webhooks, providers, connectors, triggers, schedules }: EndedAccess,
  sessions = 0,
): string => {
  const lines = [
    ...(sessions > 0 ? [`${sessions} session${sessions === 1 ? '' : 's'}`] : []),
    ...listed(managementKeys.map(({ id, name }) => `management key ${quote(name, 'a key')} (${id})`)),
    ...listed(brainKeys.map(toLine)),
    ...listed(
      webhooks.map(({ id, brain }) => `webhook ${id} of ${brain === null ? 'the organization' : `the Brain ${brain}`}`),
    ),
    ...listed(providers.map(toProviderLine)),
    ...listed(connectors.map(toConnectorLine)),
    ...listed(triggers.map(toTriggerLine)),
    ...listed(schedules.map(toScheduleLine)),
  ]
  return toList(lines) || '- nothing: there was nothing to end\n'
}

/** The way in which an address was confirmed: by an emailed link, by a password chosen by email, or by the OpenID provider. */
export type Confirmation = 'link' | 'password' | 'provider'

const confirmations: Readonly<Record<Confirmation, string>> = {
  link: 'The link that confirms this address was opened outside the browser that signed up with it.',
  password: 'A new password was chosen by a link that was sent to this address, which confirms the address.',
  provider:
    'Somebody signed in by your provider of OpenID Connect, which says that this address is theirs. That confirms the address; a password that the account had is of no use any more.',
}

/** Lists for an account's owner the access that was revoked because it was created before the address was confirmed. */
export const provisionalEndedEmail = (
  to: string,
  { ended, by, app }: { ended: EndedAccess & { sessions: number }; by: Confirmation; app: string },
): Message => ({
  to,
  subject: 'Your address is confirmed',
  text: `${confirmations[by]} What the account had before was made by somebody who had not shown that the address is theirs, so it has ended:

${listEnded(ended, ended.sessions)}
${listPaused(ended)}${
  ended.remainingAgents.length === 0
    ? ''
    : `These agents have that person's instructions and models. They start nothing by themselves. Read each, then change or archive it:

${toList(listed(ended.remainingAgents.map(toAgentLine)))}
`
}Brains and their contents are kept. Sign in, and mint the keys that you need.
${
  by === 'link'
    ? `
If you did not sign up yourself, somebody else knows the account's password. Choose a new one now:

${app}/forgot-password
`
    : ''
}`,
})

const listRemaining = (ended: EndedAccess): string => {
  const keys = listed(ended.remainingBrainKeys.map(toLine))
  const callees = listed([
    ...ended.remainingProviders.map(toProviderLine),
    ...ended.remainingConnectors.map(toConnectorLine),
  ])
  const starters = listed([
    ...ended.remainingTriggers.map(toTriggerLine),
    ...ended.remainingSchedules.map(toScheduleLine),
    ...ended.remainingAgents.map(toAgentLine),
  ])
  const ofKeys = `These Brain keys that they made go on, because agents may use them. They may have kept the secrets: rotate or revoke each.

${toList(keys)}`
  const ofCallees = `These providers of language models and connectors that they set up go on, because agents may use them. They receive the content that agents read: check the address of each, and give it a key of your own.

${toList(callees)}`
  const ofStarters = `These triggers, schedules and agents that they made go on, because they are the organization's. See what each of them does, or delete it.

${toList(starters)}`
  return [
    ...(keys.length > 0 ? [ofKeys] : []),
    ...(callees.length > 0 ? [ofCallees] : []),
    ...(starters.length > 0 ? [ofStarters] : []),
  ].join('\n')
}

/** Lists for an owner the access that was revoked with a membership. */
export const memberLeftEmail = (
  to: string,
  { organization, left, ended }: { organization: string; left: string; ended: EndedAccess },
): Message => ({
  to,
  subject: 'Keys ended with a membership',
  text: `${left} is no longer a member of ${quote(organization, 'an organization')}. Things that they made there have ended with the membership:

${listEnded(ended)}
${listPaused(ended)}${listRemaining(ended)}`,
})
