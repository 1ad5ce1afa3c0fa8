import type { AuditEntry } from '@noema/contracts/audit.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { baseUrl } from '../../base-path.ts'
import { auditCode } from '../../code/audit-code.ts'
import { Button } from '../../components/button.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { Empty } from '../../components/empty.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { type AuditFilter, auditQuery, describeActor, describeTarget, toAuditQuery } from '../../data/audit.ts'
import { type Member, membersQuery } from '../../data/members.ts'
import { manages, organizationQuery, toSlug } from '../../data/organization.ts'
import { toTablePages } from '../../data/paging.ts'
import { keepFile } from '../../data/save-lines.ts'
import { toAmount } from '../../plural.ts'
import { startLongWork } from '../../session/long-work.ts'
import { type Session, useSession } from '../../session/session.tsx'
import { AuditDetail } from './audit-detail.tsx'
import { AuditFilters } from './audit-filters.tsx'

const route = getRouteApi('/settings/audit')

const toColumns = (members: readonly Member[]): readonly Column<AuditEntry>[] => [
  { key: 'at', title: 'When', width: 112, cell: ({ at }) => <Time iso={at} /> },
  {
    key: 'actor',
    title: 'Actor',
    width: 220,
    isWide: true,
    cell: (entry) => {
      const { name, by } = describeActor(entry, members)
      return (
        <span title={name}>
          {name} <span className="muted">{by}</span>
        </span>
      )
    },
  },
  { key: 'action', title: 'Action', width: 150, cell: ({ action }) => <code>{action}</code> },
  {
    key: 'target',
    title: 'Target',
    cell: (entry) => {
      const { name, sort } = describeTarget(entry)
      return (
        <span title={entry.target.id}>
          {name} <span className="muted">{sort}</span>
        </span>
      )
    },
  },
]

/** Loads all matching entries, as lines of a file. */
const exportEntries = ({ client, organization }: Session, filter: AuditFilter) =>
  startLongWork({
    name: 'Audit log',
    run: async ({ signal, report }) => {
      const lines: string[] = []
      for await (const entry of client.audit.list({ ...toAuditQuery(filter), limit: 500 }, { signal })) {
        lines.push(`${JSON.stringify(entry)}\n`)
        if (lines.length % 500 === 0) report({ text: `${toAmount(lines.length)} entries` })
      }
      keepFile(lines, `audit-${toSlug(organization.name) || 'organization'}.ndjson`)
      report({ text: `${toAmount(lines.length)} entries` })
    },
  })

const Log = ({ filter, open }: { filter: AuditFilter; open: string | undefined }) => {
  const session = useSession()
  const navigate = useNavigate()
  const { data: members = [] } = useQuery(membersQuery(session))
  const query = useInfiniteQuery(auditQuery(session, filter))
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const change = (given: AuditFilter & { open?: string | undefined }, replace = true) =>
    void navigate({ to: '/settings/audit', search: { ...filter, ...given }, replace })
  return (
    <>
      <AuditFilters filter={filter} members={members} onChange={change} />
      <DataTable
        label="Audit log"
        columns={toColumns(members)}
        rows={query.data?.pages.flatMap(({ entries }) => entries)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        openId={open}
        onOpen={({ id }) => change({ open: open === id ? undefined : id })}
        renderOpen={(entry) => (
          <AuditDetail entry={entry} members={members} onFilter={(given) => change(given, false)} />
        )}
        empty={
          isFiltered ? (
            <Empty
              title="No matching entries"
              action={<Button onClick={() => void navigate({ to: '/settings/audit' })}>Show everything</Button>}
            >
              Choose another action, actor, target or time.
            </Empty>
          ) : (
            <Empty title="No entries yet">Changes to keys, members, Brains and settings appear here.</Empty>
          )
        }
      />
      <ViewAsCode example={auditCode({ baseUrl }, toAuditQuery(filter))} />
    </>
  )
}

/** The audit log of the organization, newest first, for owners and admins. */
export const Audit = () => {
  const session = useSession()
  const { open, ...filter } = route.useSearch()
  const { data, error, refetch } = useQuery(organizationQuery(session))
  const isAllowed = manages(data?.role)
  return (
    <div className="page">
      <PageHeader
        title="Audit"
        lead="All actions on keys, members, Brains and settings. Entries never change, and contain no secrets and no content of Brains."
        actions={
          isAllowed && (
            <Button icon="download" onClick={() => void exportEntries(session, filter)}>
              Export
            </Button>
          )
        }
      />
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && !isAllowed && (
        <Empty title="For owners and admins">
          You are a {data.role ?? 'guest'} of this organization. Ask an owner or admin to check the log, or to change
          your role.
        </Empty>
      )}
      {isAllowed && <Log filter={filter} open={open} />}
    </div>
  )
}
