import type { ManagementKey } from '@noema/contracts/keys.ts'
import { useCallback, useState } from 'react'
import { listKeysCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { ListPage, useListPage } from '../../components/list-page.tsx'
import { NewSecret } from '../../components/secret.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { baseUrl, useSession } from '../../session/session.tsx'
import { MintKeyForm } from './mint-key-form.tsx'
import { RevokeKey } from './revoke-key.tsx'

const When = ({ iso, otherwise }: { iso: string | null; otherwise: string }) =>
  iso === null ? <span className="muted">{otherwise}</span> : <Time iso={iso} />

const KeyRow = ({ entry, onRevoke }: { entry: ManagementKey; onRevoke: () => void }) => (
  <tr>
    <th scope="row">
      {entry.name}
      <span className="under">
        Created <Time iso={entry.createdAt} />, used <When iso={entry.lastUsedAt} otherwise="never" />
      </span>
    </th>
    <td>
      <span className="status" data-status={entry.status}>
        {entry.status}
      </span>
    </td>
    <td className="wide">
      <code>{entry.prefix}…</code>
    </td>
    <td className="wide">
      <Time iso={entry.createdAt} />
    </td>
    <td className="wide">
      <When iso={entry.lastUsedAt} otherwise="never" />
    </td>
    <td className="wide">
      <When iso={entry.expiresAt} otherwise="never" />
    </td>
    <td className="end">
      {entry.status === 'active' && (
        <button type="button" className="button small" onClick={onRevoke} aria-label={`Revoke ${entry.name}`}>
          Revoke
        </button>
      )}
    </td>
  </tr>
)

const columns = [
  ['Name'],
  ['Status'],
  ['Prefix', 'wide'],
  ['Created', 'wide'],
  ['Last used', 'wide'],
  ['Expires', 'wide'],
] as const

type KeyTableProps = { keys: readonly ManagementKey[]; onRevoke: (key: ManagementKey) => void }

const KeyTable = ({ keys, onRevoke }: KeyTableProps) => (
  <Table columns={columns} hasActions>
    {keys.map((entry) => (
      <KeyRow key={entry.id} entry={entry} onRevoke={() => onRevoke(entry)} />
    ))}
  </Table>
)

/** Mints a key beside the list, and shows the secret of the one just minted. */
const NewKey = ({ onMinted }: { onMinted: () => void }) => {
  const [secret, setSecret] = useState<string>()
  const take = (minted: string) => {
    setSecret(minted)
    onMinted()
  }
  return (
    <section className="card" aria-label="Mint a key">
      <h2>Mint a key</h2>
      {secret === undefined ? (
        <MintKeyForm onMinted={take} />
      ) : (
        <NewSecret secret={secret} onKept={() => setSecret(undefined)} />
      )}
    </section>
  )
}

/** The organization's management keys. */
export const Keys = () => {
  const { client, organization } = useSession()
  const [revoking, setRevoking] = useState<ManagementKey>()
  const page = useListPage(
    useCallback((page, options) => client.keys.list({ order: 'desc', ...page }, options), [client]),
  )
  return (
    <div className="page">
      <div className="page-head">
        <h1>Management keys</h1>
        <p className="lead">
          A management key has every capability in every Brain of <strong>{organization.name}</strong>. The service
          stores only hashes: a lost secret can be replaced but not recovered.
        </p>
      </div>
      <div className="with-side">
        <div>
          <ListPage page={page} items={page.data?.keys} empty="No keys yet. Mint the first one here.">
            {(keys) => <KeyTable keys={keys} onRevoke={setRevoking} />}
          </ListPage>
          <ViewAsCode example={listKeysCode({ baseUrl, organizationId: organization.id })} />
        </div>
        <NewKey onMinted={page.reload} />
      </div>
      {revoking && <RevokeKey entry={revoking} onClose={() => setRevoking(undefined)} onRevoked={page.reload} />}
    </div>
  )
}
