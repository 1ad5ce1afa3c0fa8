import type { Brain } from '@noema/contracts/brains.ts'
import type { Client } from '@noema/sdk'
import { useCallback } from 'react'
import { listBrainsCode } from '../code/examples.ts'
import { ViewAsCode } from '../parts/code-tabs.tsx'
import { Loading } from '../parts/loading.tsx'
import { MakeBrainForm } from '../parts/make-brain-form.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Pager } from '../parts/pager.tsx'
import { NewSecret } from '../parts/secret.tsx'
import { Time } from '../parts/time.tsx'
import { useLoaded } from '../parts/use-loaded.ts'
import { Link, navigate, useLocation } from '../router.tsx'
import { baseUrl, useWorkspace } from '../session/workspace.tsx'
import { KeyWanted } from './key-wanted.tsx'

const perPage = 50

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

const BrainTable = ({ brains }: { brains: readonly Brain[] }) => (
  <table>
    <thead>
      <tr>
        <th scope="col">Brain</th>
        <th scope="col">Availability</th>
        <th scope="col" className="wide">
          Mode
        </th>
        <th scope="col" className="wide number">
          State
        </th>
        <th scope="col" className="wide">
          Updated
        </th>
      </tr>
    </thead>
    <tbody>
      {brains.map((brain) => (
        <BrainRow key={brain.id} brain={brain} />
      ))}
    </tbody>
  </table>
)

const BrainList = ({ client }: { client: Client }) => {
  const { organization } = useWorkspace()
  const after = useLocation().search.get('after') ?? undefined
  const load = useCallback(
    (signal: AbortSignal) => client.brains.list({ limit: perPage, after }, { signal }),
    [client, after],
  )
  const { data, error } = useLoaded(load)
  return (
    <div className="page">
      <div className="page-head">
        <h1>Brains</h1>
        <p className="lead">
          The knowledge stores of <strong>{organization.name}</strong>.
        </p>
      </div>
      <NewSecret />
      <div className="with-side">
        <div>
          {error !== undefined && <FailureNotice error={error} />}
          {!data && error === undefined && <Loading />}
          {data && data.brains.length === 0 && <p className="empty">No Brains yet. Make the first one here.</p>}
          {data && data.brains.length > 0 && <BrainTable brains={data.brains} />}
          {data && <Pager cursor={data.cursor} hasMore={data.hasMore} isFirst={after === undefined} />}
          <ViewAsCode example={listBrainsCode({ baseUrl })} />
        </div>
        <section className="card" aria-label="Make a Brain">
          <h2>Make a Brain</h2>
          <MakeBrainForm onMade={({ handle }) => navigate(`/brains/${handle}`)} />
        </section>
      </div>
    </div>
  )
}

/** The organization's Brains, for a page that holds a key. */
export const Brains = () => {
  const { keyClient } = useWorkspace()
  return keyClient ? <BrainList client={keyClient} /> : <KeyWanted />
}
