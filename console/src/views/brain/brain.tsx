import type { Brain } from '@noema/contracts/brains.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { CopyId } from '../../components/copy-id.tsx'
import { Loading } from '../../components/loading.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import { brainQuery } from '../../data/brains.ts'
import { useSession } from '../../session/session.tsx'

const route = getRouteApi('/brains/$handle')

const BrainHead = ({ brain }: { brain: Brain }) => (
  <div className="page-head">
    <p className="crumbs">
      <Link to="/brains">Brains</Link>
    </p>
    <h1>{brain.handle}</h1>
    {brain.purpose && <p className="lead">{brain.purpose}</p>}
    <dl className="facts">
      <div>
        <dt>Availability</dt>
        <dd>
          <span className="status" data-status={brain.availability}>
            {brain.availability}
          </span>
        </dd>
      </div>
      <div>
        <dt>Mode</dt>
        <dd>{brain.mode}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Time iso={brain.createdAt} />
        </dd>
      </div>
      <div>
        <dt>Id</dt>
        <dd>
          <CopyId id={brain.id} />
        </dd>
      </div>
    </dl>
  </div>
)

const Tabs = ({ handle }: { handle: string }) => {
  const tab = { params: { handle }, className: 'tab' }
  return (
    <nav className="tabs" aria-label="Of this Brain">
      <Link to="/brains/$handle" {...tab} activeOptions={{ exact: true, includeSearch: false }}>
        Overview
      </Link>
      <Link to="/brains/$handle/records" {...tab}>
        Records
      </Link>
      <Link to="/brains/$handle/documents" {...tab}>
        Documents
      </Link>
      <Link to="/brains/$handle/graph" {...tab}>
        Graph
      </Link>
      <Link to="/brains/$handle/changes" {...tab}>
        Changes
      </Link>
      <Link to="/brains/$handle/schema" {...tab}>
        Schema
      </Link>
      <Link to="/brains/$handle/playground" {...tab}>
        Playground
      </Link>
      <Link to="/brains/$handle/receipts" {...tab}>
        Receipts
      </Link>
    </nav>
  )
}

/** What the pages of one Brain share: what it is, and the way to each of them. */
export const BrainFrame = () => {
  const { handle } = route.useParams()
  const { data, error } = useQuery(brainQuery(useSession(), handle))
  if (error)
    return (
      <div className="page">
        <h1>{handle}</h1>
        <FailureNotice error={error}>
          <Link to="/brains">All Brains</Link>
        </FailureNotice>
      </div>
    )
  if (!data) return <Loading />
  return (
    <div className="page">
      <BrainHead brain={data.brain} />
      <Tabs handle={handle} />
      <Outlet />
    </div>
  )
}
