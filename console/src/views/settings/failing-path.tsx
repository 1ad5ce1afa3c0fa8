import type { Notification } from '@noema/contracts/notifications.ts'
import { useQuery } from '@tanstack/react-query'
import { failingUrlQuery } from '../../data/notifications.ts'
import { useSession } from '../../session/session.tsx'

/** The path of a failing webhook, next to a title that names its host. */
export const FailingPath = ({ notification }: { notification: Notification }) => {
  const { data: url } = useQuery(failingUrlQuery(useSession(), notification))
  if (url === undefined) return null
  const { pathname, search } = new URL(url)
  return <code className="failing-path">{pathname + search}</code>
}
