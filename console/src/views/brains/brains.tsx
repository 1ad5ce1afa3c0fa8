import type { Brain } from '@noema/contracts/brains.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, navigate } from '../../address.tsx'
import { listBrainsCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { Loading } from '../../components/loading.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { brainsQuery } from '../../data/brains.ts'
import { baseUrl, useSession } from '../../session/session.tsx'
import { MakeBrainForm } from './make-brain-form.tsx'

const BrainRow = ({ brain }: { brain: Brain }) => (
  <tr>
    <th scope="row">
      <Link to={`/brains/${brain.handle}`}>{brain.handle}</Link>
      {brain.purpose && <span className="under always">{brain.purpose}</span>}
    </th>
    <td>
      <span className="status" data-status={brain.availability}>
        {brain.availability}
      </span>
    </td>
    <td className="wide">{brain.mode}</td>
    <td className="wide number">{brain.stateVersion.toLocaleString('en')}</td>
    <td className="wide">
      <Time iso={brain.updatedAt} />
    </td>
  </tr>
)

const columns = [['Brain'], ['Availability'], ['Mode', 'wide'], ['State', 'wide number'], ['Updated', 'wide']] as const

const BrainTable = ({ brains }: { brains: readonly Brain[] }) => (
  <Table columns={columns}>
    {brains.map((brain) => (
      <BrainRow key={brain.id} brain={brain} />
    ))}
  </Table>
)

/** The organization's Brains. */
export const Brains = () => {
  const session = useSession()
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(brainsQuery(session))
  const brains = data?.pages.flatMap((page) => page.brains)
  return (
    <div className="page">
      <div className="page-head">
        <h1>Brains</h1>
        <p className="lead">
          The knowledge stores of <strong>{session.organization.name}</strong>.
        </p>
      </div>
      <div className="with-side">
        <div>
          {error && <FailureNotice error={error} />}
          {!brains && !error && <Loading />}
          {brains?.length === 0 && <p className="empty">No Brains yet. Make the first one here.</p>}
          {brains && brains.length > 0 && <BrainTable brains={brains} />}
          {hasNextPage && (
            <button type="button" className="button small" onClick={() => fetchNextPage()}>
              Load more
            </button>
          )}
          <ViewAsCode example={listBrainsCode({ baseUrl })} />
        </div>
        <section className="card" aria-label="Create a Brain">
          <h2>Create a Brain</h2>
          <MakeBrainForm onMade={({ handle }) => navigate(`/brains/${handle}`)} />
        </section>
      </div>
    </div>
  )
}
