import type { TierLimits } from '@noema/contracts/administered-organizations.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { tiersQuery } from '../../data/admin.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { AdminPage } from './admin-page.tsx'

const toLimit = (limit: number | null, say = (n: number) => toAmount(n)) =>
  limit === null ? <span className="muted">no limit</span> : say(limit)

const columns: readonly Column<TierLimits>[] = [
  {
    key: 'tier',
    title: 'Tier',
    cell: ({ tier, isDefault }) => (
      <>
        <strong>{tier}</strong> {isDefault && <Badge tone="accent">default</Badge>}
      </>
    ),
  },
  { key: 'brains', title: 'Brains', width: 110, align: 'end', cell: ({ brains }) => toLimit(brains) },
  {
    key: 'writes',
    title: 'Operations a day',
    width: 150,
    align: 'end',
    isWide: true,
    cell: ({ dailyWrites }) => toLimit(dailyWrites),
  },
  {
    key: 'bytes',
    title: 'Content a day',
    width: 140,
    align: 'end',
    isWide: true,
    cell: ({ dailyBytes }) => toLimit(dailyBytes, toSize),
  },
  { key: 'runs', title: 'Runs a day', width: 110, align: 'end', cell: ({ dailyRuns }) => toLimit(dailyRuns) },
  {
    key: 'receipts',
    title: 'Receipts of a Brain',
    width: 150,
    align: 'end',
    isWide: true,
    cell: ({ receipts }) => toLimit(receipts),
  },
  {
    key: 'models',
    title: 'Shared models a day',
    width: 150,
    align: 'end',
    isWide: true,
    cell: ({ dailyModelCents }) => toLimit(dailyModelCents, (cents) => `$${(cents / 100).toFixed(2)}`),
  },
  {
    key: 'rate',
    title: 'Requests a second',
    width: 160,
    align: 'end',
    isWide: true,
    cell: ({ rate }) => toLimit(rate?.perSecond ?? null),
  },
]

const TierDetail = ({ limits: { tier, rate, fileBytes } }: { limits: TierLimits }) => {
  return (
    <div className="stack admin-detail">
      {tier === 'unverified' && (
        <p className="admin-text">Applies to every tier except staff until an owner confirms an email address.</p>
      )}
      {rate && (
        <p className="admin-text">
          {toAmount(rate.perSecond)} requests a second of one key in the long run, and {toAmount(rate.burst)} at once.
        </p>
      )}
      {fileBytes !== null && <p className="admin-text">Files take {toSize(fileBytes)} at most.</p>}
      {rate ? (
        <p className="admin-text">
          The setting <code>NOEMA_TIERS</code> changes these limits, under <code>{tier}</code>.
        </p>
      ) : (
        <p className="admin-text">It has no limits.</p>
      )}
      {tier !== 'unverified' && (
        <Link to="/admin/organizations" search={{ tier }}>
          Organizations on this tier
        </Link>
      )}
    </div>
  )
}

const TierTable = () => {
  const { data, error, refetch } = useQuery(tiersQuery(useSession()))
  const [open, setOpen] = useState<string>()
  return (
    <DataTable
      label="Tiers"
      columns={columns}
      rows={data?.tiers}
      toId={({ tier }) => tier}
      error={error}
      onRetry={() => void refetch()}
      openId={open}
      onOpen={({ tier }) => setOpen(tier === open ? undefined : tier)}
      renderOpen={(limits) => <TierDetail limits={limits} />}
      empty={null}
    />
  )
}

/** The limits of each tier. */
export const Tiers = () => (
  <AdminPage title="Tiers" lead="Over all organizations of an owner together. Open one for its settings.">
    <TierTable />
  </AdminPage>
)
