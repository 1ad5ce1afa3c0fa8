import type { BrainDetail } from '@noema/contracts/brains.ts'
import { ForbiddenError, NotFoundError } from '@noema/sdk/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { Badge, Status } from '../../components/badge.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { LinkTabs, TabLink } from '../../components/link-tabs.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { brainQuery } from '../../data/brains.ts'
import { listBrainPlaces } from '../../places.ts'
import { useSession } from '../../session/session.tsx'

const route = getRouteApi('/brains/$handle')

const BrainHead = ({ brain: { handle, purpose, availability, mode, hold, id } }: { brain: BrainDetail }) => (
  <PageHeader
    title={handle}
    lead={hold ? `Held: ${hold.reason}` : purpose}
    badges={
      <>
        <Status state={availability} />
        <Badge tone={mode === 'review' ? 'accent' : 'neutral'}>{mode}</Badge>
      </>
    }
    actions={<CopyId id={id} />}
  />
)

/** The pages of a Brain, with the number of pending changes. */
const BrainTabs = ({ handle, pending }: { handle: string; pending: number | undefined }) => (
  <LinkTabs label="Of this Brain">
    {listBrainPlaces(handle).map(({ name, to }) => (
      <TabLink
        key={to}
        to={to}
        count={name === 'Changes' ? pending : undefined}
        activeOptions={{ exact: name === 'Overview', includeSearch: false }}
      >
        {name}
      </TabLink>
    ))}
  </LinkTabs>
)

/** True if the Brain is gone or no longer readable: then none of its cached data is shown. */
const isLost = (error: Error): boolean => error instanceof NotFoundError || error instanceof ForbiddenError

/** The frame of the pages of one Brain: its title and tabs. */
export const BrainFrame = () => {
  const { handle } = route.useParams()
  const { data, error, refetch } = useQuery(brainQuery(useSession(), handle))
  if (error && (!data || isLost(error)))
    return (
      <div className="page">
        <h1>{handle}</h1>
        <FailureNotice error={error} onRetry={() => void refetch()}>
          <Link to="/brains">All Brains</Link>
        </FailureNotice>
      </div>
    )
  return (
    <div className="page brain-page">
      {data ? (
        <>
          <BrainHead brain={data.brain} />
          <BrainTabs handle={handle} pending={data.brain.counts.pendingChanges} />
          <Outlet />
        </>
      ) : (
        <>
          <PageHeader title={handle} />
          <Skeleton height={320} />
        </>
      )}
    </div>
  )
}
