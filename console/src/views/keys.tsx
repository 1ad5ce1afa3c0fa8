import type { ManagementKey } from '@noema/contracts/keys.ts'
import { useCallback, useState } from 'react'
import { listKeysCode } from '../code/examples.ts'
import { ViewAsCode } from '../parts/code-tabs.tsx'
import { Loading } from '../parts/loading.tsx'
import { MintKeyForm } from '../parts/mint-key-form.tsx'
import { FailureNotice } from '../parts/notice.tsx'
import { Pager } from '../parts/pager.tsx'
import { NewSecret } from '../parts/secret.tsx'
import { Time } from '../parts/time.tsx'
import { useLoaded } from '../parts/use-loaded.ts'
import { useLocation } from '../router.tsx'
import { isHeld } from '../session/held-key.ts'
import { baseUrl, useWorkspace } from '../session/workspace.tsx'
import { RevokeKey } from './revoke-key.tsx'

const perPage = 50

const When = ({ iso, otherwise }: { iso: string | null; otherwise: string }) =>
  iso === null ? <span className="muted">{otherwise}</span> : <Time iso={iso} />

const KeyRow = ({ entry, isInPage, onRevoke }: { entry: ManagementKey; isInPage: boolean; onRevoke: () => void }) => (
  <tr>
    <th scope="row">
      {entry.name} {isInPage && <span className="tag">in this page</span>}
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

type KeyTableProps = { keys: readonly ManagementKey[]; onRevoke: (key: ManagementKey) => void }

const KeyTable = ({ keys, onRevoke }: KeyTableProps) => {
  const { key: held } = useWorkspace()
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col" className="wide">
            Prefix
          </th>
          <th scope="col" className="wide">
            Created
          </th>
          <th scope="col" className="wide">
            Last used
          </th>
          <th scope="col" className="wide">
            Expires
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {keys.map((entry) => (
          <KeyRow
            key={entry.id}
            entry={entry}
            isInPage={entry.status === 'active' && isHeld(held, entry)}
            onRevoke={() => onRevoke(entry)}
          />
        ))}
      </tbody>
    </table>
  )
}

/** Mints a key beside the list, and shows the secret of the one just minted. */
const NewKey = ({ onMinted }: { onMinted: () => void }) => {
  const { key } = useWorkspace()
  return (
    <section className="card" aria-label="Mint a key">
      <h2>Mint a key</h2>
      {key?.isNew ? <NewSecret /> : <MintKeyForm onMinted={onMinted} asksExpiry />}
    </section>
  )
}

/** The organization's management keys. */
export const Keys = () => {
  const { sessionClient, organization } = useWorkspace()
  const after = useLocation().search.get('after') ?? undefined
  const [revoking, setRevoking] = useState<ManagementKey>()
  const load = useCallback(
    (signal: AbortSignal) => sessionClient.keys.list({ limit: perPage, after }, { signal }),
    [sessionClient, after],
  )
  const { data, error, reload } = useLoaded(load)
  return (
    <div className="page">
      <div className="page-head">
        <h1>Management keys</h1>
        <p className="lead">
          A management key holds every capability on every Brain of <strong>{organization.name}</strong>. The service
          stores only hashes, so a lost secret is replaced, never recovered.
        </p>
      </div>
      <div className="with-side">
        <div>
          {error !== undefined && <FailureNotice error={error} />}
          {!data && error === undefined && <Loading />}
          {data && data.keys.length === 0 && <p className="empty">No keys yet. Mint the first one here.</p>}
          {data && data.keys.length > 0 && <KeyTable keys={data.keys} onRevoke={setRevoking} />}
          {data && <Pager cursor={data.cursor} hasMore={data.hasMore} isFirst={after === undefined} />}
          <ViewAsCode example={listKeysCode({ baseUrl, organizationId: organization.id })} />
        </div>
        <NewKey onMinted={reload} />
      </div>
      {revoking && <RevokeKey entry={revoking} onClose={() => setRevoking(undefined)} onRevoked={reload} />}
    </div>
  )
}
