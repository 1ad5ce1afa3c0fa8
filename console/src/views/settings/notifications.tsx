import { toTablePages } from '../../data/paging.ts'
import '../../styles/notifications.css'
import type { Notification } from '@noema/contracts/notifications.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { showFailure } from '../../components/toast.ts'
import { isTrouble, markAsRead, notificationsQuery, toNotificationPath } from '../../data/notifications.ts'
import type { ShownNotifications } from '../../data/shown-notifications.ts'
import { findPage } from '../../pages.ts'
import { useSession } from '../../session/session.tsx'
import { DailyMail } from './daily-mail.tsx'
import { FailingPath } from './failing-path.tsx'

const route = getRouteApi('/settings/notifications')

const shownNames: readonly { value: ShownNotifications; name: string }[] = [
  { value: 'open', name: 'Open' },
  { value: 'unread', name: 'Unread' },
  { value: 'resolved', name: 'Resolved' },
  { value: 'all', name: 'All' },
]

const emptyWords: Record<ShownNotifications, string> = {
  open: 'Nothing is waiting, and there are no problems',
  unread: 'All read',
  resolved: 'No resolved notifications yet',
  all: 'No notifications yet',
}

const toState = (notification: Notification) => {
  if (notification.resolvedAt !== undefined) return { state: 'ended', label: 'resolved' }
  return isTrouble(notification) ? { state: 'failing', label: 'trouble' } : { state: 'waiting', label: 'waits' }
}

type Mark = (ids: string[]) => void

const toColumns = (mark: Mark): readonly Column<Notification>[] => [
  {
    key: 'title',
    title: 'What',
    cell: (notification) => {
      const { id, title, readAt } = notification
      const path = toNotificationPath(notification)
      const read = () => readAt === null && mark([id])
      return (
        <span className={readAt === null ? 'unread' : undefined}>
          {findPage(path) ? (
            <Link to={path} onClick={read}>
              {title}
            </Link>
          ) : (
            title
          )}{' '}
          <FailingPath notification={notification} />
        </span>
      )
    },
  },
  { key: 'state', title: 'State', width: 96, cell: (notification) => <Status {...toState(notification)} /> },
  { key: 'since', title: 'Since', width: 120, cell: ({ at }) => <Time iso={at} />, isWide: true },
  {
    key: 'read',
    title: 'Read',
    width: 130,
    align: 'end',
    isWide: true,
    cell: ({ id, title, readAt }) =>
      readAt === null ? (
        <Button size="small" tone="quiet" aria-label={`Mark as read: ${title}`} onClick={() => mark([id])}>
          Mark as read
        </Button>
      ) : (
        <Time iso={readAt} />
      ),
  },
]

/** The person's notifications in the organization, and their daily email. */
export const Notifications = () => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { show = 'open' } = route.useSearch()
  const query = useInfiniteQuery(notificationsQuery(session, show))
  const rows = query.data?.pages.flatMap(({ notifications }) => notifications)
  const newest = rows?.[0]
  const unread = query.data?.pages[0]?.waiting.unread ?? 0
  const mark = (which: { ids: string[] } | { upTo: string }) =>
    void markAsRead(queries, session, which).catch((failure) => showFailure(failure, 'Could not be marked as read'))
  return (
    <div className="page">
      <PageHeader
        title="Notifications"
        lead="Each notification reports an ongoing state and resolves automatically. Read marks are private to you."
        actions={
          unread > 0 &&
          show !== 'resolved' &&
          newest && <Button onClick={() => mark({ upTo: newest.id })}>Mark {unread} as read</Button>
        }
      />
      <RadioGroup
        label="Which notifications"
        isLabelHidden
        isSegments
        options={shownNames}
        value={show}
        onChange={(next) =>
          void navigate({ to: '/settings/notifications', search: next === 'open' ? {} : { show: next } })
        }
      />
      <DataTable
        label="Notifications"
        columns={toColumns((ids) => mark({ ids }))}
        rows={rows}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title={emptyWords[show]}>
            Reviews, questions from agents, failing webhooks, paused triggers and expiring keys appear here.
          </Empty>
        }
      />
      <DailyMail />
    </div>
  )
}
