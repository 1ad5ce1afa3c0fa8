import type { OrganizationDetail } from '@noema/contracts/administered-organizations.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge, Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { organizationQuery } from '../../data/admin.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { AdminPage } from './admin-page.tsx'
import { EndDialog } from './end-dialog.tsx'
import { TierDialog } from './tier-dialog.tsx'

const route = getRouteApi('/admin/organizations/$id')

type Member = OrganizationDetail['members'][number]

const columns: readonly Column<Member>[] = [
  { key: 'name', title: 'Name', isWide: true, cell: ({ name }) => name },
  {
    key: 'email',
    title: 'Email',
    cell: ({ email, emailVerified }) => (
      <>
        {email}
        {!emailVerified && <span className="muted"> (unconfirmed)</span>}
      </>
    ),
  },
  { key: 'role', title: 'Role', width: 100, cell: ({ role }) => <Badge>{role}</Badge> },
  { key: 'joined', title: 'Joined', width: 110, isWide: true, cell: ({ joinedAt }) => <Time iso={joinedAt} /> },
]

type Use = OrganizationDetail['use']['brains']

const UseBar = ({ label, use: { used, max }, format }: { label: string; use: Use; format?: (n: number) => string }) => {
  const say = format ?? ((n: number) => toAmount(n))
  return (
    <div className="use-bar">
      <span>{label}</span>
      <span className="use-figure">
        {say(used)} <span className="muted">of {max === null ? 'any number' : say(max)}</span>
      </span>
      {max !== null && <progress aria-label={label} max={Math.max(max, 1)} value={used} />}
    </div>
  )
}

const UsePanel = ({ detail: { use, caps, countedTogether } }: { detail: OrganizationDetail }) => (
  <Panel
    title="Use"
    description={
      caps === 'unverified'
        ? 'The lowest caps apply, because no owner has confirmed an email address.'
        : `The caps of the tier ${caps} apply${countedTogether > 1 ? `, over ${countedTogether} organizations of one owner together` : ''}.`
    }
  >
    <div className="use-bars">
      <UseBar label="Brains" use={use.brains} />
      <UseBar label="Operations today" use={use.dailyWrites} />
      <UseBar label="Content today" use={use.dailyBytes} format={toSize} />
      <UseBar label="Runs today" use={use.dailyRuns} />
      <UseBar label="Files" use={use.fileBytes} format={toSize} />
    </div>
  </Panel>
)

type PartsProps = { detail: OrganizationDetail; onTier: () => void; onEnd: () => void }

const Parts = ({ detail, onTier, onEnd }: PartsProps) => {
  const { organization, members } = detail
  return (
    <>
      <div className="columns">
        <Panel
          title="About"
          actions={
            <Button size="small" onClick={onTier}>
              Change tier
            </Button>
          }
        >
          <KeyValues
            items={[
              ['Tier', <Badge key="tier">{organization.tier}</Badge>],
              ['State', <Status key="state" state={organization.state} />],
              ['Made', <Time key="made" iso={organization.createdAt} />],
              ['Slug', <code key="slug">{organization.slug}</code>],
              ['Id', <CopyId key="id" id={organization.id} />],
            ]}
          />
        </Panel>
        <UsePanel detail={detail} />
      </div>
      <Panel
        title="Members"
        description={
          organization.members > members.length ? `The first ${members.length} of ${organization.members}.` : undefined
        }
        isFlush
      >
        <DataTable
          label="Members"
          columns={columns}
          rows={members}
          toId={({ userId }) => userId}
          height={330}
          empty={<p className="muted admin-pad">No members.</p>}
        />
      </Panel>
      <Panel title="Delete this organization">
        <div className="stack">
          <p className="admin-text">
            {detail.protected
              ? 'An administrator of the service owns this organization. Only its owners can delete it, in its settings.'
              : 'All access ends at once, its runs are canceled, and its content is erased in the background. Its owners get an email. This cannot be undone.'}
          </p>
          <div className="actions">
            <Button tone="danger" disabled={detail.protected} onClick={onEnd}>
              Delete organization…
            </Button>
          </div>
        </div>
      </Panel>
    </>
  )
}

const OrganizationParts = ({ id }: { id: string }) => {
  const { data, error, refetch } = useQuery(organizationQuery(useSession(), id))
  const [open, setOpen] = useState<'tier' | 'end'>()
  if (error && !data) return <FailureNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={320} />
  return (
    <>
      <Parts detail={data} onTier={() => setOpen('tier')} onEnd={() => setOpen('end')} />
      {open === 'tier' && <TierDialog organization={data.organization} onClose={() => setOpen(undefined)} />}
      {open === 'end' && <EndDialog organization={data.organization} onClose={() => setOpen(undefined)} />}
    </>
  )
}

const Name = ({ id }: { id: string }) => {
  const { data } = useQuery({ ...organizationQuery(useSession(), id), enabled: useSession().isAdministrator })
  useCrumbName(`/admin/organizations/${id}`, data?.organization.name)
  return <>{data?.organization.name ?? 'Organization'}</>
}

/** One organization as the operator sees it. */
export const Organization = () => {
  const { id } = route.useParams()
  return (
    <AdminPage title={<Name id={id} />} lead={<Link to="/admin/organizations">All organizations</Link>}>
      <OrganizationParts id={id} />
    </AdminPage>
  )
}
