import { z } from 'zod'
import { handle } from './brains.ts'
import { itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

// Notifications of a person in an organization. They belong to people: every endpoint here takes a signed-in session.

/**
 * The subjects of notifications. Each is a lasting state, not an event:
 * - `review.waiting`: changes of a Brain wait for review.
 * - `tasks.open`: runs of an agent ask people something.
 * - `webhook.failing`: the last attempt of a Brain's or the organization's webhook failed, or an event was given up.
 * - `trigger.paused`, `schedule.paused`: starts nothing, for a reason that its list shows.
 * - `schedule.failing`: the last three runs of a schedule failed.
 * - `goal.paused`: the service paused a goal, for a reason that the goal shows. A goal that a person paused notifies no one.
 * - `web_source.failing`: a web source is paused, or one of its pages failed three times in a row.
 * - `agent.unproven`: an agent was made by somebody who had not proven the account that they used, before its owner took it
 *   over. It lasts until the agent is changed or archived.
 * - `brain.taken_over`: an owner of the organization took over a restricted Brain in the last week. Goes to its other managers.
 * - `brain.unmanaged`: a restricted Brain has no manager, because the last one left. Goes to owners of the organization.
 * - `key.expiring`: a key expires within 14 days. Goes to the person who minted it, and to owners and admins.
 * - `app.connected`: an app that was let in within the last 7 days and still has a grant. Goes to the people who let it in, and to
 *   owners and admins.
 */
export const notificationKind = z.enum([
  'review.waiting',
  'tasks.open',
  'webhook.failing',
  'trigger.paused',
  'schedule.paused',
  'schedule.failing',
  'goal.paused',
  'web_source.failing',
  'agent.unproven',
  'key.expiring',
  'brain.taken_over',
  'brain.unmanaged',
  'app.connected',
])
export type NotificationKind = z.infer<typeof notificationKind>

/** The number of failed runs of a schedule, one after the other, that notifies people. */
export const failuresOfSchedule = 3

/** Number of days before a key's expiry at which people are notified. */
export const daysBeforeExpiry = 14

/** Number of days for which people are notified of an app that was let in. */
export const daysOfNewApp = 7

export const notification = z
  .object({
    id: z.string().describe('ntf_…; time-ordered'),
    kind: notificationKind.describe('The kind.'),
    brain: handle.optional().describe('The handle of the Brain that it is about'),
    target: z
      .object({
        type: z
          .enum([
            'brain',
            'agent',
            'eval',
            'brain_webhook',
            'webhook',
            'trigger',
            'schedule',
            'goal',
            'web_source',
            'brain_key',
            'management_key',
            'app',
          ])
          .describe('The type.'),
        id: itemId,
        name: z.string().optional().describe('The name, for people.'),
      })
      .describe('The item that it is about.'),
    title: z.string().describe('The title, for people.'),
    count: z.int().min(1).optional().describe('How many there are.'),
    at: timestamp.describe('Since when, as far as it is known'),
    readAt: timestamp.nullable().describe('When it was read; null if it was not.'),
    resolvedAt: timestamp.optional(),
  })
  .describe(
    'One state that somebody should look at. There is one notification of a state, however long it goes on and ' +
      'however much it comes to: `count` is how much it is now (changes that wait, tasks that are open). `resolvedAt` ' +
      'is set once the state has ended, which happens by itself; a state that begins again is another notification. ' +
      '`title` has names and numbers only, and nothing of what Brains hold.',
  )
export type Notification = z.infer<typeof notification>

/** Counts of items that wait for the caller in the organization: unread notifications of lasting states, changes, tasks. */
export const waiting = z
  .object({
    unread: z.int().min(0).describe('How many are unread.'),
    changes: z.int().min(0).describe('Changes of all Brains that wait for review'),
    tasks: z.int().min(0).describe('Tasks of all agents that are open'),
  })
  .describe('How much waits for people.')
export type Waiting = z.infer<typeof waiting>

const path = '/v1/notifications' as const

export const listNotifications = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List your notifications in the organization',
  description: 'Lists the notifications of the caller in the organization, by id. Closed ones are kept for 90 days.',
  access: 'session',
  query: z.object({
    state: z.enum(['open', 'resolved']).optional().describe('Only states that go on, or that have ended'),
    unread: z.enum(['true']).optional().describe('Only notifications that are not read'),
    ...listQuery,
  }),
  status: [200],
  list: 'notifications',
  result: z.object({
    notifications: z.array(notification).describe('The notifications of this page.'),
    ...pageResult,
    waiting: waiting.describe('How much waits for people.'),
  }),
})

export const countWaiting = defineEndpoint({
  method: 'GET',
  path: `${path}/waiting`,
  summary: 'Count what waits for you in the organization',
  description: 'Reads the numbers only, for clients that ask often.',
  access: 'session',
  status: [200],
  result: z.object({ waiting: waiting.describe('How much waits for people.') }),
})

const id = z.string().min(1).max(100)

export const readNotifications = defineEndpoint({
  method: 'POST',
  path: `${path}/read`,
  summary: 'Mark notifications as read',
  description:
    'Marks notifications as read for the caller alone: some by id, or all up to one and with it. Ids that are not ' +
    'there, or are not for the caller, change nothing.',
  access: 'session',
  body: z
    .object({
      ids: z.array(id).min(1).max(500).optional().describe('The ids.'),
      upTo: id
        .optional()
        .describe('The id of the newest notification to mark. It and all older ones are marked as read.'),
    })
    .refine(({ ids, upTo }) => (ids === undefined) !== (upTo === undefined), {
      error: 'Give either ids, a list of 1 to 500, or upTo, an id.',
    }),
  status: [200],
  result: z.object({ waiting: waiting.describe('How much waits for people.') }),
})

export const notificationSettings = z
  .object({
    mail: z.boolean().describe('True if notifications are also sent as mail.'),
    hour: z.int().min(0).max(23).describe('The hour of the day at which mails are sent, from 0 to 23.'),
    timezone: z.string().describe('IANA name, such as Europe/Berlin'),
  })
  .describe(
    'Whether the caller gets a daily mail of this organization. It is sent at `hour` of their day, and only if ' +
      'there is unread news. It has numbers and no names. Only people who asked for it get it.',
  )
export type NotificationSettings = z.infer<typeof notificationSettings>

const settingsResult = z.object({ settings: notificationSettings.describe('The settings.') }).describe('The settings.')

export const getNotificationSettings = defineEndpoint({
  method: 'GET',
  path: `${path}/settings`,
  summary: 'Read your settings of notifications',
  description: 'Reads the settings of the caller in this organization.',
  access: 'session',
  status: [200],
  result: settingsResult,
})

export const patchNotificationSettings = defineEndpoint({
  method: 'PATCH',
  path: `${path}/settings`,
  summary: 'Change your settings of notifications',
  description:
    'Changes what the caller has set in this organization; what is left out stays. Mail needs a confirmed address: ' +
    '409.',
  access: 'session',
  body: z.object({
    mail: z.boolean().optional().describe('True if notifications are also sent as mail.'),
    hour: z
      .int('hour is a whole number from 0 to 23.')
      .min(0)
      .max(23)
      .optional()
      .describe('The hour of the day at which mails are sent, from 0 to 23.'),
    timezone: z.string().trim().min(1).max(100).optional().describe('The time zone, such as Europe/Berlin.'),
  }),
  errors: ['not_found', 'email_not_verified'],
  status: [200],
  result: settingsResult,
})
