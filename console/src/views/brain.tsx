import type { Brain } from '@noema/contracts/brains.ts'
import type { Client } from '@noema/sdk'
import { isEventType } from '@noema/sdk/event-types.ts'
import { useCallback } from 'react'
import { NewSecret } from '../account/secret.tsx'
import { CopiedId } from '../components/copied-id.tsx'
import { Loading } from '../components/loading.tsx'
import { FailureNotice } from '../components/notice.tsx'
import { Time } from '../components/time.tsx'
import { useLoaded } from '../components/use-loaded.ts'
import { toItemType } from '../items/paths.ts'
import { Link, navigate, useLocation, withQuery } from '../router.tsx'
import type { StoredKey } from '../session/stored-key.ts'
import { useWorkspace } from '../session/workspace.tsx'
import { LiveStream } from '../stream/live-stream.tsx'
import { TypeFilter } from '../stream/type-filter.tsx'
import { DocumentList } from './documents.tsx'
import { Item } from './item.tsx'
import { ReceiptPage } from './receipt.tsx'
import { ReceiptList } from './receipts.tsx'
import { RecordList } from './records.tsx'
import { Search } from './search.tsx'
import { UnlockWithKey } from './unlock-with-key.tsx'

/** Each with the tabs that are of it without being listed: what its entries lead to. */
const tabs = [
  ['search', 'Search', 'statement'],
  ['events', 'Events'],
  ['records', 'Records', 'record'],
  ['documents', 'Documents', 'document'],
  ['receipts', 'Receipts', 'receipt'],
] as const

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
          <CopiedId id={brain.id} />
        </dd>
      </div>
    </dl>
  </div>
)

const Tabs = ({ open }: { open: string }) => (
  <nav className="tabs" aria-label="Of this Brain">
    {tabs.map(([tab, words, entry]) => (
      <Link key={tab} to={`${location.pathname}?tab=${tab}`} className="tab" isCurrent={tab === open || entry === open}>
        {words}
      </Link>
    ))}
  </nav>
)

const BrainEvents = ({ storedKey, handle }: { storedKey: StoredKey; handle: string }) => {
  const { search } = useLocation()
  const types = (search.get('types') ?? '').split(',').filter(isEventType)
  const choose = (chosen: readonly string[]) =>
    navigate(withQuery({ types: chosen.length > 0 ? chosen.join(',') : undefined }), { replace: true })
  return (
    <LiveStream
      apiKey={storedKey.secret}
      handle={handle}
      types={types}
      after={search.get('after') ?? undefined}
      filter={<TypeFilter chosen={types} onChange={choose} />}
      empty={
        <p>
          {types.length > 0
            ? 'No event of these types yet.'
            : 'No events yet. Write something, and its event appears here.'}
        </p>
      }
    />
  )
}

type TabProps = { client: Client; storedKey: StoredKey; brain: Brain; tab: string }

const OpenTab = ({ client, storedKey, brain, tab }: TabProps) => {
  const { handle } = brain
  const type = toItemType(tab)
  if (type) return <Item client={client} handle={handle} type={type} />
  if (tab === 'events') return <BrainEvents storedKey={storedKey} handle={handle} />
  if (tab === 'records') return <RecordList client={client} handle={handle} />
  if (tab === 'documents') return <DocumentList client={client} handle={handle} />
  if (tab === 'receipts') return <ReceiptList client={client} handle={handle} />
  if (tab === 'receipt') return <ReceiptPage client={client} handle={handle} />
  return <Search client={client} brain={brain} />
}

const OpenBrain = ({ client, storedKey, handle }: { client: Client; storedKey: StoredKey; handle: string }) => {
  const tab = useLocation().search.get('tab') ?? 'search'
  const load = useCallback((signal: AbortSignal) => client.brains.get(handle, { signal }), [client, handle])
  const { data, error } = useLoaded(load)
  if (error !== undefined)
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
      <NewSecret />
      <Tabs open={tab} />
      <OpenTab client={client} storedKey={storedKey} brain={data.brain} tab={tab} />
    </div>
  )
}

/** One Brain, for a page that holds a key: search, its live events, and what it holds. */
export const BrainPage = ({ handle }: { handle: string }) => {
  const { key, keyClient } = useWorkspace()
  return key && keyClient ? <OpenBrain client={keyClient} storedKey={key} handle={handle} /> : <UnlockWithKey />
}
