import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Empty } from '../../components/empty.tsx'
import { Select } from '../../components/field.tsx'
import { SearchInput } from '../../components/search-input.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { organizationsQuery, tiers, tiersQuery } from '../../data/admin.ts'
import { toTablePages } from '../../data/paging.ts'
import { toAmount, toAmountOr } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { readWord } from '../../validate-search.ts'
import { AdminPage } from './admin-page.tsx'

const route = getRouteApi('/admin/organizations')

/** The limit of Brains, by the name of the organization's caps. */
type MaxBrains = ReadonlyMap<string, number | null>

const toBrains = ({ brains, tier, owners }: AdministeredOrganization, max: MaxBrains): string => {
  const isVerified = tier === 'staff' || owners.some(({ emailVerified }) => emailVerified)
  const cap = max.get(isVerified ? tier : 'unverified')
  const used = toAmount(brains)
  return cap === undefined ? used : `${used} of ${toAmountOr(cap, '∞')}`
}

const toColumns = (max: MaxBrains): readonly Column<AdministeredOrganization>[] => [
  {
    key: 'name',
    title: 'Organization',
    cell: ({ id, name, state }) =>
      state === 'ended' ? (
        <CopyId id={id} />
      ) : (
        <Link to="/admin/organizations/$id" params={{ id }}>
          {name}
        </Link>
      ),
  },
  {
    key: 'owner',
    title: 'Owner',
    isWide: true,
    cell: ({ owners: [first, ...others] }) =>
      first && (
        <>
          {first.email}
          {!first.emailVerified && <span className="muted"> (unconfirmed)</span>}
          {others.length > 0 && <span className="muted"> and {others.length} more</span>}
        </>
      ),
  },
  { key: 'tier', title: 'Tier', width: 96, cell: ({ tier }) => <Badge>{tier}</Badge> },
  { key: 'members', title: 'Members', width: 84, align: 'end', isWide: true, cell: ({ members }) => members },
  { key: 'brains', title: 'Brains', width: 100, align: 'end', cell: (row) => toBrains(row, max) },
  { key: 'made', title: 'Made', width: 110, isWide: true, cell: ({ createdAt }) => <Time iso={createdAt} /> },
]

const every = { value: '', name: 'Every tier' } as const
const tierOptions = [every, ...tiers.map((tier) => ({ value: tier, name: tier }))]
const states = [
  { value: 'active', name: 'Active' },
  { value: 'ended', name: 'Being erased' },
] as const

const OrganizationTable = () => {
  const session = useSession()
  const { q, tier, state } = route.useSearch()
  const navigate = route.useNavigate()
  const shownState = readWord(state, ['active', 'ended'] as const)
  const query = useInfiniteQuery(organizationsQuery(session, { q, tier: readWord(tier, tiers), state: shownState }))
  const { data: limits } = useQuery(tiersQuery(session))
  const max: MaxBrains = new Map(limits?.tiers.map((one) => [one.tier, one.brains]))
  const choose = (chosen: { q?: string | undefined; tier?: string; state?: string }) =>
    void navigate({ search: (search) => ({ ...search, ...chosen }), replace: true })
  return (
    <>
      <div className="admin-filters">
        <SearchInput
          label="Name, id, slug or email of an owner"
          value={q ?? ''}
          onChange={(text) => choose({ q: text || undefined })}
        />
        <Select
          label="Tier"
          isLabelHidden
          options={tierOptions}
          value={tier ?? ''}
          onChange={(value) => choose({ tier: value })}
        />
        <Select
          label="State"
          isLabelHidden
          options={states}
          value={shownState ?? 'active'}
          onChange={(value) => choose({ state: value })}
        />
      </div>
      <DataTable
        label="Organizations"
        columns={toColumns(max)}
        rows={query.data?.pages.flatMap((page) => page.organizations)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title={shownState === 'ended' ? 'Nothing is being erased' : 'No organization is like that'}>
            Search by part of a name, a slug or the email of an owner. Case does not matter.
          </Empty>
        }
      />
    </>
  )
}

/** Every organization of the service. */
export const Organizations = () => (
  <AdminPage title="Organizations" lead="The size of each organization. The content of its Brains stays private.">
    <OrganizationTable />
  </AdminPage>
)
