import { useQuery } from '@tanstack/react-query'
import { Empty } from '../../components/empty.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { openNotificationsQuery } from '../../data/home.ts'
import { isTrouble, toNotificationPath } from '../../data/notifications.ts'
import { useSession } from '../../session/session.tsx'
import { PageLink } from './page-link.tsx'

/** The items that wait for the person: reviews, questions and problems. */
export const WaitingPanel = () => {
  const { data, error, refetch } = useQuery(openNotificationsQuery(useSession()))
  return (
    <Panel title="Waiting for you" isFlush>
      {!data && !error && <Skeleton lines={5} />}
      {!data && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {data?.notifications.length === 0 && (
        <Empty title="Nothing is waiting for you">
          Reviews, questions from agents, failing webhooks and expiring keys appear here.
        </Empty>
      )}
      {data && data.notifications.length > 0 && (
        <ul className="home-list">
          {data.notifications.map((notification) => (
            <li key={notification.id} data-trouble={isTrouble(notification) || undefined}>
              <PageLink to={toNotificationPath(notification)}>{notification.title}</PageLink>
              <span className="muted">
                <Time iso={notification.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
