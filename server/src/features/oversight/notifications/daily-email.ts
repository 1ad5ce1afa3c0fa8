import type { NotificationKind } from '@noema/contracts/notifications.ts'
import type { Message } from '../../platform/mail/mail.ts'
import { quote } from '../../platform/mail/quote.ts'

// The daily mail. It counts what is new and names nothing of it: what is behind a name is for those who sign in.

const lines: Record<NotificationKind, (count: number) => string> = {
  'review.waiting': (count) => `${count === 1 ? 'A Brain has' : `${count} Brains have`} changes that wait for review`,
  'tasks.open': (count) =>
    `${count === 1 ? 'An agent or eval asks' : `${count} agents and evals ask`} people something`,
  'webhook.failing': (count) => `${count === 1 ? 'A webhook fails' : `${count} webhooks fail`}`,
  'trigger.paused': (count) => `${count === 1 ? 'A trigger is' : `${count} triggers are`} paused`,
  'schedule.paused': (count) => `${count === 1 ? 'A schedule is' : `${count} schedules are`} paused`,
  'schedule.failing': (count) => `${count === 1 ? 'A schedule has' : `${count} schedules have`} runs that fail`,
  'goal.paused': (count) => `${count === 1 ? 'A goal is' : `${count} goals are`} paused`,
  'web_source.failing': (count) => `${count === 1 ? 'A web source has' : `${count} web sources have`} pages that fail`,
  'agent.unproven': (count) => `${count === 1 ? 'An agent was' : `${count} agents were`} made by somebody else`,
  'brain.taken_over': (count) => `${count === 1 ? 'A Brain was' : `${count} Brains were`} taken over by an owner`,
  'brain.unmanaged': (count) => `${count === 1 ? 'A Brain has' : `${count} Brains have`} no manager any more`,
  'app.connected': (count) => `${count === 1 ? 'An app was' : `${count} apps were`} let in`,
  'key.expiring': (count) => `${count === 1 ? 'A key expires' : `${count} keys expire`} soon`,
}

type News = {
  organizationId: string
  organization: string
  kinds: readonly NotificationKind[]
  app: string
  unsubscribe: string
}

/** A mail with the news of one person, and a link at its end to unsubscribe. */
export const toDailyMail = (to: string, { organizationId, organization, kinds, app, unsubscribe }: News): Message => ({
  to,
  organizationId,
  subject: kinds.length === 1 ? 'Noema: one new notification' : `Noema: ${kinds.length} new notifications`,
  headers: { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  text: `New in ${quote(organization, 'an organization of yours')}, and not read yet:

${[...Map.groupBy(kinds, (kind) => kind)].map(([kind, { length }]) => `- ${lines[kind](length)}\n`).join('')}
Sign in to see them: ${app}/

You get this at most once a day, because you asked for it. To unsubscribe, open this page; you need not sign in:

${unsubscribe}
`,
})
