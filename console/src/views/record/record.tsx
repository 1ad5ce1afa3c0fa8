import '../../styles/record.css'
import type { BrainRecord } from '@noema/contracts/records.ts'
import { NotFoundError } from '@noema/sdk/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { baseUrl } from '../../base-path.ts'
import { readCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Json } from '../../components/json.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { brainQuery } from '../../data/brains.ts'
import { toRecordName } from '../../data/record-text.ts'
import { recordQuery } from '../../data/records.ts'
import { schemaQuery } from '../../data/schema.ts'
import { ChangeAuthor } from '../../items/change-author.tsx'
import { useSession } from '../../session/session.tsx'
import { GraphView } from '../graph/graph-view.tsx'
import { DeleteRecord } from './delete-record.tsx'
import { EditOutcome } from './edit-outcome.tsx'
import { ExpireRecord, Expiry } from './expiry.tsx'
import { FieldRows } from './field-rows.tsx'
import { History } from './history.tsx'
import { MergeRecord } from './merge-record.tsx'
import { Reads } from './reads.tsx'
import { Relations } from './relations.tsx'
import { TimeLine } from './time-line.tsx'
import { useRecordEdit } from './use-record-edit.ts'

const route = getRouteApi('/brains/$handle/records/$id')

const tabs = [
  [undefined, 'Record'],
  ['history', 'History'],
  ['graph', 'Graph'],
  ['reads', 'Readers'],
  ['json', 'JSON'],
] as const

const RecordTabs = () => {
  const { handle, id } = route.useParams()
  const { tab: open } = route.useSearch()
  return (
    <nav className="tabs" aria-label="Of this record">
      {tabs.map(([tab, words]) => (
        <Link
          key={words}
          to="/brains/$handle/records/$id"
          params={{ handle, id }}
          search={(before) => ({ ...before, tab })}
          className="tab"
          aria-current={tab === open ? 'page' : undefined}
          activeProps={{}}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {words}
        </Link>
      ))}
    </nav>
  )
}

/** The name of a record, and its id and slug where they are not its name already. */
const Head = ({ record, handle }: { record: BrainRecord; handle: string }) => {
  const { id, slug, kind, version, updatedAt, provenance } = record
  const name = toRecordName(record)
  return (
    <div className="record-head">
      <h2>{name}</h2>
      <p className="about">
        <Link to="/brains/$handle/records" params={{ handle }} search={{ kind }}>
          {kind}
        </Link>
        {slug !== null && slug !== id && slug !== name && <span className="tag">{slug}</span>}
        {name === id ? <CopyButton text={id} what="the id" isQuiet /> : <CopyId id={id} />}
        <span>version {version}</span>
        <Time iso={updatedAt} />
        <ChangeAuthor handle={handle} change={provenance.change} provenance={provenance} />
        {provenance.source !== undefined && <span>from {provenance.source}</span>}
        {provenance.trust !== undefined && (
          <span className="trust" data-trust={provenance.trust}>
            {provenance.trust}
          </span>
        )}
      </p>
    </div>
  )
}

/** Fields on the left and relations on the right, so that both are on the first screen. */
const Main = ({ record, handle, asOf }: { record: BrainRecord; handle: string; asOf: number | undefined }) => {
  const schema = useQuery(schemaQuery(useSession(), handle))
  const edit = useRecordEdit(handle, record.id)
  const kind = schema.data?.schema.kinds.find(({ kind: name }) => name === record.kind)
  return (
    <>
      {asOf === undefined && <EditOutcome handle={handle} edit={edit} />}
      <div className="record-columns">
        <section aria-label="Fields">
          {schema.isPending ? (
            <Skeleton lines={Object.keys(record.fields).length * 2} />
          ) : (
            <FieldRows record={record} kind={kind} edit={asOf === undefined ? edit : undefined} />
          )}
        </section>
        <Relations record={record} handle={handle} asOf={asOf} />
      </div>
    </>
  )
}

/** Shown for a missing record: it was deleted, or is newer than the shown state. */
const Gone = ({ error }: { error: Error }) => {
  const { handle, id } = route.useParams()
  const { asOf } = route.useSearch()
  if (!(error instanceof NotFoundError)) return <FailureNotice error={error} />
  return (
    <>
      <h2>{id}</h2>
      <Notice tone="warning">
        {asOf === undefined ? (
          <p>There is no such record now. If it existed, its history shows it.</p>
        ) : (
          <p>
            There was no such record at state {asOf}.{' '}
            <Link to="/brains/$handle/records/$id" params={{ handle, id }} search={{}}>
              As it is now
            </Link>
          </p>
        )}
      </Notice>
      <History handle={handle} id={id} />
    </>
  )
}

/** The later history of the version that an earlier state shows. */
const Since = ({ shown }: { shown: BrainRecord }) => {
  const { handle, id } = route.useParams()
  const { data, error } = useQuery({ ...recordQuery(useSession(), handle, id), staleTime: 0 })
  if (data?.record.version === shown.version || (!data && !error)) return null
  if (!data)
    return (
      <Notice tone="warning">
        <p>It is no longer current.</p>
      </Notice>
    )
  return (
    <Notice tone="warning">
      <p>
        It has changed since:{' '}
        <Link to="/brains/$handle/records/$id" params={{ handle, id }}>
          version {data.record.version} is live
        </Link>
        .
      </p>
    </Notice>
  )
}

/** Shown where the address names a record that was merged into this one. */
const Merged = ({ from }: { from: string }) => (
  <Notice>
    <p>
      <code>{from}</code> was merged into this record. Its versions are in the history.
    </p>
  </Notice>
)

const OpenTab = ({ record }: { record: BrainRecord }) => {
  const { handle } = route.useParams()
  const { asOf, tab } = route.useSearch()
  const { id } = record
  if (tab === 'history') return <History handle={handle} id={id} />
  if (tab === 'graph') return <GraphView handle={handle} seeds={[id]} depth={1} asOf={asOf} isSmall />
  if (tab === 'reads') return <Reads handle={handle} item={{ type: 'record', id }} />
  if (tab === 'json') return <Json label={`Version ${record.version}`} value={record} />
  return <Main record={record} handle={handle} asOf={asOf} />
}

/** One record: its fields and relations, now or at an earlier state, with its history and readers. */
export const RecordPage = () => {
  const { handle, id } = route.useParams()
  const { asOf } = route.useSearch()
  const session = useSession()
  const brain = useQuery(brainQuery(session, handle))
  const { data, error } = useQuery({ ...recordQuery(session, handle, id, asOf), placeholderData: (before) => before })
  // Read next to the record, so that its fields have their types at once.
  useQuery(schemaQuery(session, handle))
  useCrumbName(`/brains/${handle}/records/${encodeURIComponent(id)}`, data && toRecordName(data.record))
  const newest = brain.data?.brain.stateVersion
  if (error) return <Gone error={error} />
  if (!data) return <Skeleton lines={8} />
  return (
    <section aria-label="Record" className="record">
      <div className="record-top">
        <Head record={data.record} handle={handle} />
        {asOf === undefined && (
          <div className="record-acts">
            <ExpireRecord handle={handle} record={data.record} />
            <MergeRecord handle={handle} record={data.record} />
            <DeleteRecord handle={handle} record={data.record} />
          </div>
        )}
      </div>
      {data.redirectedFrom !== undefined && <Merged from={data.redirectedFrom} />}
      <Expiry handle={handle} record={data.record} isCurrent={asOf === undefined} />
      {asOf !== undefined && <Since shown={data.record} />}
      <div className="record-bar">
        <RecordTabs />
        {newest !== undefined && (
          <TimeLine
            handle={handle}
            record={data.record}
            asOf={asOf}
            newest={Math.max(newest, data.record.stateVersion)}
          />
        )}
      </div>
      <OpenTab record={data.record} />
      <ViewAsCode example={readCode({ baseUrl, handle }, { what: 'records', id, asOf })} />
    </section>
  )
}
