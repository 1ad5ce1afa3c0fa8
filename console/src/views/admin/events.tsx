import type { AdminEvent } from '@noema/contracts/admin.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Empty } from '../../components/empty.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { eventKinds, eventsQuery } from '../../data/admin.ts'
import { toTablePages } from '../../data/paging.ts'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'
import { AdminPage } from './admin-page.tsx'

const route = getRouteApi('/admin/events')

const kindNames: Readonly<Record<AdminEvent['kind'], string>> = {
  access_request: 'request',
  signup: 'sign-up',
  organization_ended: 'ended',
}

const toMailed = ({ notificationType, notificationSent }: AdminEvent): string => {
  if (notificationType === null) return ''
  return notificationSent ? 'yes' : 'not yet'
}

const columns: readonly Column<AdminEvent>[] = [
  { key: 'summary', title: 'What happened', cell: ({ summary }) => summary },
  { key: 'kind', title: 'Kind', width: 100, isWide: true, cell: ({ kind }) => <Badge>{kindNames[kind]}</Badge> },
  { key: 'mailed', title: 'Emailed', width: 120, isWide: true, cell: toMailed },
  { key: 'at', title: 'When', width: 110, cell: ({ createdAt }) => <Time iso={createdAt} /> },
]

const toFacts = ({ id, detail, createdAt }: AdminEvent): (readonly [string, ReactNode])[] => {
  const own: (readonly [string, ReactNode])[] = []
  if (detail.kind === 'signup')
    own.push(
      ['Email', detail.email],
      ['Account', <CopyId key="user" id={detail.userId} />],
      ['Code', detail.inviteCode ?? 'none counted'],
    )
  if (detail.kind === 'access_request') own.push(['Email', detail.email])
  if (detail.kind === 'organization_ended')
    own.push(
      ['Organization', <CopyId key="organization" id={detail.organizationId} />],
      ['By', <CopyId key="user" id={detail.userId} />],
    )
  return [...own, ['At', createdAt], ['Event', <CopyId key="event" id={id} />]]
}

const EventDetail = ({ event }: { event: AdminEvent }) => {
  const { detail } = event
  return (
    <div className="stack admin-detail">
      {detail.kind === 'access_request' && (
        <p className="admin-text">{detail.message ?? <span className="muted">No message.</span>}</p>
      )}
      {detail.kind === 'organization_ended' && <p className="admin-text">{detail.reason ?? 'No reason was given.'}</p>}
      <KeyValues items={toFacts(event)} layout="row" />
      {detail.kind === 'access_request' && (
        <Link to="/admin/requests" search={{ state: 'all', open: event.id }}>
          Open the request
        </Link>
      )}
      {detail.kind === 'signup' && (
        <Link to="/admin/organizations" search={{ q: detail.email }}>
          Their organizations
        </Link>
      )}
    </div>
  )
}

const shown = [
  { value: '', name: 'Arrivals' },
  { value: 'access_request', name: 'Requests' },
  { value: 'signup', name: 'Sign-ups' },
  { value: 'organization_ended', name: 'Deletions' },
] as const

/** A reloaded page may repeat items of the page before. */
const withoutRepeats = (events: readonly AdminEvent[]): AdminEvent[] => [
  ...new Map(events.map((event) => [event.id, event])).values(),
]

const EventTable = () => {
  const session = useSession()
  const { kind, open } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(eventsQuery(session, readWord(kind, eventKinds)))
  const rows = query.data && withoutRepeats(query.data.pages.flatMap((page) => page.events))
  return (
    <>
      <div className="admin-filters">
        <RadioGroup
          label="Kind"
          isLabelHidden
          isSegments
          options={shown}
          value={shown.find(({ value }) => value === kind)?.value ?? ''}
          onChange={(value) => void navigate({ search: { kind: value || undefined }, replace: true })}
        />
      </div>
      <DataTable
        label="Administrator events"
        columns={columns}
        rows={rows}
        toId={({ id }) => id}
        {...toTablePages(query)}
        openId={open}
        onOpen={({ id }) => void navigate({ search: { kind, open: id === open ? undefined : id }, replace: true })}
        renderOpen={(event) => <EventDetail event={event} />}
        empty={<Empty title="No events yet">Sign-ups and requests for access appear here automatically.</Empty>}
      />
    </>
  )
}

/** Events for administrators, as they happen. */
export const AdminEvents = () => (
  <AdminPage title="Administrator events" lead="Sign-ups, requests for access and deletions, as they happen.">
    <EventTable />
  </AdminPage>
)
