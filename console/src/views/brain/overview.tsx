import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate, useSearch } from '@tanstack/react-router'
import { toAmount } from '../../plural.ts'
import { BrainStream } from './brain-stream.tsx'
import '../../styles/overview.css'
import { Skeleton } from '../../components/skeleton.tsx'
import { Stat } from '../../components/stat.tsx'
import { Time } from '../../components/time.tsx'
import { brainQuery } from '../../data/brains.ts'
import { comingDatesQuery, newestReadsQuery, recentCursorQuery, waitingChangesQuery } from '../../data/overview.ts'
import { webhooksQuery } from '../../data/webhooks.ts'
import { useSession } from '../../session/session.tsx'
import { ComingDates, Readers, WaitingChanges, WebhookHealth } from './overview-panels.tsx'

const route = getRouteApi('/brains/$handle/')

const Counts = ({ handle }: { handle: string }) => {
  const { data } = useQuery(brainQuery(useSession(), handle))
  if (!data) return <Skeleton height={74} />
  const { counts, stateVersion, schemaVersion, lastWriteAt } = data.brain
  return (
    <div className="stats">
      <Stat
        label="Records"
        value={
          <Link to="/brains/$handle/records" params={{ handle }}>
            {toAmount(counts.records)}
          </Link>
        }
      />
      <Stat
        label="Statements"
        value={
          <Link to="/brains/$handle/statements" params={{ handle }}>
            {toAmount(counts.statements)}
          </Link>
        }
      />
      <Stat
        label="Documents"
        value={
          <Link to="/brains/$handle/documents" params={{ handle }}>
            {toAmount(counts.documents)}
          </Link>
        }
      />
      <Stat
        label="Pending reviews"
        value={
          <Link to="/brains/$handle/changes" params={{ handle }}>
            {toAmount(counts.pendingChanges)}
          </Link>
        }
        tone={counts.pendingChanges > 0 ? 'warning' : 'neutral'}
      />
      <Stat
        label="State"
        value={stateVersion}
        hint={
          lastWriteAt === null ? (
            'never written'
          ) : (
            <>
              written <Time iso={lastWriteAt} />
            </>
          )
        }
      />
      <Stat label="Schema" value={schemaVersion} hint={schemaVersion === 0 ? 'nothing declared' : 'version'} />
    </div>
  )
}

const Stream = ({ handle }: { handle: string }) => {
  const { types, after } = useSearch({ strict: false })
  const navigate = useNavigate({ from: '/brains/$handle/' })
  const recent = useQuery({ ...recentCursorQuery(useSession(), handle), enabled: after === undefined })
  const choose = (chosen: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, types: chosen }), replace: true })
  if (after === undefined && recent.isPending) return null
  return <BrainStream handle={handle} types={types} onTypes={choose} after={after ?? recent.data ?? undefined} />
}

/** True once the data of every panel have arrived. They are shown together, so that no panel pushes another one down. */
const useArrival = (handle: string): boolean => {
  const session = useSession()
  const waiting = [
    useQuery(recentCursorQuery(session, handle)),
    useQuery(waitingChangesQuery(session, handle)),
    useQuery(comingDatesQuery(session, handle)),
    useQuery(newestReadsQuery(session, handle)),
    useQuery(webhooksQuery(session, handle)),
  ]
  return !waiting.some(({ isPending }) => isPending)
}

/** A Brain on one screen: its size, its live events, and its open items. */
export const Overview = () => {
  const { handle } = route.useParams()
  const hasArrived = useArrival(handle)
  if (!hasArrived) return <Skeleton height={480} />
  return (
    <section aria-label="Overview" className="overview">
      <Counts handle={handle} />
      <div className="overview-columns">
        <Stream handle={handle} />
        <div className="overview-panels">
          <WaitingChanges handle={handle} />
          <ComingDates handle={handle} />
          <Readers handle={handle} />
          <WebhookHealth handle={handle} />
        </div>
      </div>
    </section>
  )
}
