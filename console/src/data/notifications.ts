import type { Notification, NotificationSettings } from '@noema/contracts/notifications.ts'
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'
import type { ShownNotifications } from './shown-notifications.ts'

// The person's notifications in the organization. They have no stream, so a visible page polls them.

const notificationsKey = ({ organization }: Session) => [organization.id, 'notifications'] as const

const filters = {
  open: { state: 'open' },
  unread: { unread: 'true' },
  resolved: { state: 'resolved' },
  all: {},
} as const satisfies Record<ShownNotifications, object>

/** Notifications, newest first. */
export const notificationsQuery = (session: Session, shown: ShownNotifications) =>
  infiniteQueryOptions({
    queryKey: [...notificationsKey(session), 'list', shown],
    queryFn: ({ pageParam, signal }) =>
      session.client.notifications.list({ ...filters[shown], after: pageParam, limit: 100, order: 'desc' }, { signal }),
    ...paging,
    refetchInterval: 10_000,
  })

const maxNewest = 8

/** The newest open notifications. */
export const newestNotificationsQuery = (session: Session) =>
  queryOptions({
    queryKey: [...notificationsKey(session), 'newest'],
    queryFn: ({ signal }) =>
      session.client.notifications.list({ state: 'open', limit: maxNewest, order: 'desc' }, { signal }),
    refetchInterval: 10_000,
  })

/** The person's notification settings in the organization. */
export const notificationSettingsQuery = (session: Session) =>
  queryOptions({
    queryKey: [...notificationsKey(session), 'settings'],
    queryFn: async ({ signal }) => (await session.client.notifications.settings.get({ signal })).settings,
  })

export const changeNotificationSettings = async (
  { client }: Session,
  given: Partial<NotificationSettings>,
): Promise<NotificationSettings> => (await client.notifications.settings.patch(given)).settings

/** Marks notifications as read, and reloads their counts. */
export const markAsRead = async (
  queries: QueryClient,
  session: Session,
  which: { ids: string[] } | { upTo: string },
): Promise<void> => {
  await session.client.notifications.read(which)
  await Promise.all([
    queries.invalidateQueries({ queryKey: notificationsKey(session) }),
    queries.invalidateQueries({ queryKey: [session.organization.id, 'waiting'] }),
  ])
}

/** The path of the page to act on it. */
export const toNotificationPath = ({ kind, brain, target }: Notification): string => {
  if (kind === 'review.waiting') return brain === undefined ? '/review' : `/brains/${brain}/changes`
  if (kind === 'tasks.open') return '/tasks'
  if (kind === 'webhook.failing')
    return `${brain === undefined ? '/settings' : `/brains/${brain}`}/webhooks/${encodeURIComponent(target.id)}`
  if (kind === 'web_source.failing') return `/brains/${brain}/sources?source=${encodeURIComponent(target.name ?? '')}`
  if (kind === 'goal.paused') return `/evals?open=${target.id}`
  if (kind === 'brain.taken_over' || kind === 'brain.unmanaged') return `/brains/${brain}/settings`
  if (kind === 'agent.unproven') return `/agents/${target.id}`
  if (kind === 'app.connected') return '/settings/apps'
  if (kind === 'key.expiring') return target.type === 'management_key' ? '/settings/keys' : `/brains/${brain}/keys`
  return `/automations/${target.type === 'trigger' ? 'triggers' : 'schedules'}/${target.id}`
}

/**
 * The URL of a failing webhook. Titles name only its host, because a path may be a secret and titles are sent by email; people who
 * may read the webhook tell several of one host apart by the path.
 */
export const failingUrlQuery = ({ organization, client }: Session, { kind, brain, target }: Notification) =>
  queryOptions({
    queryKey: [organization.id, 'notifications', 'url', brain, target.id],
    queryFn: async ({ signal }) => {
      const read =
        brain === undefined
          ? client.webhooks.get(target.id, { signal })
          : client.brain(brain).webhooks.get(target.id, { signal })
      return (await read).webhook.url
    },
    enabled: kind === 'webhook.failing',
    staleTime: 60_000,
  })

/** True if it reports a problem, not pending work. */
export const isTrouble = ({ kind }: Notification): boolean => kind !== 'review.waiting' && kind !== 'tasks.open'
