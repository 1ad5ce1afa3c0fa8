import '../../styles/notifications.css'
import type { Notification } from '@noema/contracts/notifications.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { showFailure } from '../../components/toast.ts'
import { isTrouble, markAsRead, newestNotificationsQuery, toNotificationPath } from '../../data/notifications.ts'
import { findPage } from '../../pages.ts'
import { useSession } from '../../session/session.tsx'
import { FailingPath } from './failing-path.tsx'

type EntryProps = { notification: Notification; onRead: () => void; onLeave: () => void }

const Entry = ({ notification, onRead, onLeave }: EntryProps) => {
  const { title, at, readAt } = notification
  const path = toNotificationPath(notification)
  const isUnread = readAt === null
  const follow = () => {
    if (isUnread) onRead()
    onLeave()
  }
  return (
    <li className={isUnread ? 'bell-entry unread-entry' : 'bell-entry'}>
      <div>
        {findPage(path) ? (
          <Link to={path} onClick={follow}>
            {title}
          </Link>
        ) : (
          <span>{title}</span>
        )}
        <p className="muted">
          <Status
            state={isTrouble(notification) ? 'failing' : 'waiting'}
            label={isTrouble(notification) ? 'trouble' : 'waits'}
          />{' '}
          <Time iso={at} /> <FailingPath notification={notification} />
        </p>
      </div>
      {isUnread && <IconButton icon="check" label={`Mark as read: ${title}`} onClick={onRead} />}
    </li>
  )
}

/** The latest open notifications. */
export const NotificationList = ({ onLeave }: { onLeave: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery(newestNotificationsQuery(session))
  const mark = (which: { ids: string[] } | { upTo: string }) =>
    void markAsRead(queries, session, which).catch((failure) => showFailure(failure, 'Could not be marked as read'))
  const [newest] = data?.notifications ?? []
  return (
    <div className="bell-list">
      <div className="bell-head">
        <h2>Notifications</h2>
        {newest && data && data.waiting.unread > 0 && (
          <Button size="small" tone="quiet" onClick={() => mark({ upTo: newest.id })}>
            Mark all as read
          </Button>
        )}
      </div>
      {error && !data && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data?.notifications.length === 0 && <p className="muted">Nothing is waiting, and there are no problems.</p>}
      {data && data.notifications.length > 0 && (
        <ul>
          {data.notifications.map((notification) => (
            <Entry
              key={notification.id}
              notification={notification}
              onRead={() => mark({ ids: [notification.id] })}
              onLeave={onLeave}
            />
          ))}
        </ul>
      )}
      <p className="bell-foot">
        <Link to="/settings/notifications" onClick={onLeave}>
          All notifications
        </Link>
      </p>
    </div>
  )
}
