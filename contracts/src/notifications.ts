import { z } from 'zod'
import { handle } from './brains.ts'
import { listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

// What a person is told of in an organization. Notifications belong to people: every endpoint here takes a signed-in session.

/**
 * What a notification tells of. Each is a state that goes on, not an event:
 * - `review.waiting`: changes of a Brain wait for review.
 * - `tasks.open`: runs of an agent ask people something.
 * - `webhook.failing`: the last attempt of a Brain's or the organization's webhook failed, or an event was given up.
 * - `trigger.paused`, `schedule.paused`: starts nothing, for a reason that its list tells.
 * - `schedule.failing`: the last three runs of a schedule failed.
 * - `key.expiring`: a key expires within 14 days. Told to whoever minted it, and to owners and admins.
 */
export const notificationKind = z.enum([
  'review.waiting',
  'tasks.open',
  'webhook.failing',
  'trigger.paused',
  'schedule.paused',
  'schedule.failing',
  'key.expiring',
])
export type NotificationKind = z.infer<typeof notificationKind>

/** How many runs of a schedule fail one after the other before people are told. */
export const failuresOfSchedule = 3

/** How many days before it expires people are told of a key. */
export const daysBeforeExpiry = 14

/**
 * One state that somebody should look at. There is one notification of a state, however long it goes on and however much it
 * comes to: `count` is how much it is now (changes that wait, tasks that are open). `resolvedAt` is set once the state has
 * ended, which happens by itself; a state that begins again is another notification. `title` has names and numbers only, and
 * nothing of what Brains hold.
 */
export const notification = z.object({
  id: z.string().meta({ description: 'ntf_…; time-ordered' }),
  kind: notificationKind,
  brain: handle.optional().meta({ description: 'The handle of the Brain that it is about' }),
  target: z.object({
    type: z.enum(['brain', 'agent', 'brain_webhook', 'webhook', 'trigger', 'schedule', 'brain_key', 'management_key']),
    id: z.string(),
    name: z.string().optional(),
  }),
  title: z.string(),
  count: z.int().min(1).optional(),
  at: timestamp.meta({ description: 'Since when, as far as it is known' }),
  readAt: timestamp.nullable(),
  resolvedAt: timestamp.optional(),
})
export type Notification = z.infer<typeof notification>

/** What waits for the caller in the organization at this moment: unread notifications of states that go on, changes, tasks. */
export const waiting = z.object({
  unread: z.int().min(0),
  changes: z.int().min(0).meta({ description: 'Changes of all Brains that wait for review' }),
  tasks: z.int().min(0).meta({ description: 'Tasks of all agents that are open' }),
})
export type Waiting = z.infer<typeof waiting>

const path = '/v1/notifications' as const

/** Lists what the caller is told of in the organization, by id. What ended is kept for 90 days. */
export const listNotifications = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List what waits for you or went wrong in the organization',
  access: 'session',
  query: z.object({
    state: z.enum(['open', 'resolved']).optional().meta({ description: 'Only states that go on, or that have ended' }),
    unread: z.enum(['true']).optional().meta({ description: 'Only notifications that are not read' }),
    ...listQuery,
  }),
  status: [200],
  list: 'notifications',
  result: z.object({ notifications: z.array(notification), ...pageResult, waiting }),
})

/** Reads the numbers alone, for whoever asks often. */
export const countWaiting = defineEndpoint({
  method: 'GET',
  path: `${path}/waiting`,
  summary: 'Count what waits for you in the organization',
  access: 'session',
  status: [200],
  result: z.object({ waiting }),
})

const id = z.string().min(1).max(100)

/**
 * Marks notifications as read for the caller alone: some by id, or all up to one and with it. Ids that are not there, or are not
 * for the caller, change nothing.
 */
export const readNotifications = defineEndpoint({
  method: 'POST',
  path: `${path}/read`,
  summary: 'Mark notifications as read',
  access: 'session',
  body: z
    .object({ ids: z.array(id).min(1).max(500).optional(), upTo: id.optional() })
    .refine(({ ids, upTo }) => (ids === undefined) !== (upTo === undefined), {
      error: 'Give either ids, a list of 1 to 500, or upTo, an id.',
    }),
  status: [200],
  result: z.object({ waiting }),
})

/**
 * Whether the caller gets a daily mail of this organization. It is sent at `hour` of their day, and only when something is new
 * that they have not read. It counts what there is and names nothing. Nobody gets it who has not asked for it.
 */
export const notificationSettings = z.object({
  mail: z.boolean(),
  hour: z.int().min(0).max(23),
  timezone: z.string().meta({ description: 'IANA name, such as Europe/Berlin' }),
})
export type NotificationSettings = z.infer<typeof notificationSettings>

const settingsResult = z.object({ settings: notificationSettings })

/** Reads what the caller has set in this organization. */
export const getNotificationSettings = defineEndpoint({
  method: 'GET',
  path: `${path}/settings`,
  summary: 'Read your settings of notifications',
  access: 'session',
  status: [200],
  result: settingsResult,
})

/** Changes what the caller has set in this organization; what is left out stays. Mail needs a confirmed address: 409. */
export const patchNotificationSettings = defineEndpoint({
  method: 'PATCH',
  path: `${path}/settings`,
  summary: 'Change your settings of notifications',
  access: 'session',
  body: z.object({
    mail: z.boolean().optional(),
    hour: z.int('hour is a whole number from 0 to 23.').min(0).max(23).optional(),
    timezone: z.string().trim().min(1).max(100).optional(),
  }),
  errors: ['not_found', 'email_not_verified'],
  status: [200],
  result: settingsResult,
})
