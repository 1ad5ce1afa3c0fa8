import type { Brain } from '@noema/contracts/brains.ts'
import type { Client } from '@noema/sdk'
import { useCallback } from 'react'
import { MakeBrainForm } from '../account/make-brain-form.tsx'
import { NewSecret } from '../account/secret.tsx'
import { listBrainsCode } from '../code/examples.ts'
import { ViewAsCode } from '../components/code-tabs.tsx'
import { ListPage, useListPage } from '../components/list-page.tsx'
import { Table } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { Link, navigate } from '../router.tsx'
import { baseUrl, useWorkspace } from '../session/workspace.tsx'
import { UnlockWithKey } from './unlock-with-key.tsx'

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

const BrainList = ({ client }: { client: Client }) => {
  const { organization } = useWorkspace()
  const page = useListPage(useCallback((page, options) => client.brains.list(page, options), [client]))
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
          <ListPage page={page} items={page.data?.brains} empty="No Brains yet. Make the first one here.">
            {(brains) => <BrainTable brains={brains} />}
          </ListPage>
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

/** The organization's Brains, for a page that holds a key. */
export const Brains = () => {
  const { keyClient } = useWorkspace()
  return keyClient ? <BrainList client={keyClient} /> : <UnlockWithKey />
}
