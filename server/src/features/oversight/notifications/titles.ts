import type { Notification, NotificationKind } from '@noema/contracts/notifications.ts'

// Titles have names and numbers only: nothing of what Brains hold.

type Titled = {
  kind: NotificationKind
  target: Notification['target']['type']
  name: string | null
  brain: string | null
  count: number | null
}

const toAmount = (count: number | null, one: string, many: string): string =>
  count === null ? many : `${count} ${count === 1 ? one : many}`

const makers: Record<NotificationKind, (about: Titled & { named: string }) => string> = {
  'review.waiting': ({ brain, count }) => `${toAmount(count, 'change waits', 'changes wait')} for review in ${brain}`,
  'tasks.open': ({ target, named, count }) =>
    `${toAmount(count, 'task', 'tasks')} of the ${target} ${named} ${count === 1 ? 'waits' : 'wait'} for an answer`,
  'webhook.failing': ({ named, brain }) =>
    `Deliveries to ${named} fail${brain === null ? '' : `, for a webhook of ${brain}`}`,
  'trigger.paused': ({ named, brain }) => `The trigger ${named} of ${brain} is paused`,
  'schedule.paused': ({ named }) => `A schedule of ${named} is paused`,
  'schedule.failing': ({ named }) => `The last runs of a schedule of ${named} failed`,
  'goal.paused': ({ named }) => `A goal of the agent ${named} is paused`,
  'web_source.failing': ({ named, brain }) => `Pages of the web source ${named} of ${brain} cannot be refreshed`,
  'agent.unproven': ({ named }) => `The agent ${named} was made by somebody who had not proven your account`,
  'brain.taken_over': ({ named }) => `An owner of the organization took over the Brain ${named}`,
  'brain.unmanaged': ({ named }) => `The restricted Brain ${named} has no manager any more: an owner can take it over`,
  'app.connected': ({ named }) => `The app ${named} was let in`,
  'key.expiring': ({ named }) => `The management key ${named} expires soon`,
}

/** The title of a notification. */
export const toTitle = (about: Titled): Notification['title'] =>
  makers[about.kind]({ ...about, named: about.name ?? 'without a name' })
