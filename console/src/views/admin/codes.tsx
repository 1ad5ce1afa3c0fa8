import type { InvitationCode } from '@noema/contracts/admin.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge, Status } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Empty } from '../../components/empty.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { codesQuery, toSignUpLink, useAdminRefresh } from '../../data/admin.ts'
import { toAmount, toAmountOr } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { AdminPage } from './admin-page.tsx'
import { CodeDialog } from './code-dialog.tsx'

/** True if a code can still be used to sign up. */
const toState = ({ maxUses, useCount, expiresAt }: InvitationCode): 'active' | 'used up' | 'expired' => {
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return 'expired'
  return maxUses !== null && useCount >= maxUses ? 'used up' : 'active'
}

const toColumns = (onDelete: (code: InvitationCode) => void): readonly Column<InvitationCode>[] => [
  {
    key: 'code',
    title: 'Code',
    cell: ({ code }) => (
      <span className="copied-id">
        <code>{code}</code>
        <CopyButton text={toSignUpLink(code)} what="the sign-up link" isQuiet />
      </span>
    ),
  },
  { key: 'label', title: 'Label', isWide: true, cell: ({ label }) => label },
  { key: 'tier', title: 'Tier', width: 110, isWide: true, cell: ({ tier }) => <Badge>{tier}</Badge> },
  {
    key: 'uses',
    title: 'Uses',
    width: 110,
    align: 'end',
    isWide: true,
    cell: ({ useCount, maxUses }) => `${toAmount(useCount)} of ${toAmountOr(maxUses, '∞')}`,
  },
  {
    key: 'ends',
    title: 'Ends',
    width: 120,
    isWide: true,
    cell: ({ expiresAt }) => (expiresAt ? <Time iso={expiresAt} /> : <span className="muted">never</span>),
  },
  { key: 'made', title: 'Made', width: 110, isWide: true, cell: ({ createdAt }) => <Time iso={createdAt} /> },
  { key: 'state', title: 'State', width: 90, cell: (code) => <Status state={toState(code)} /> },
  {
    key: 'delete',
    title: '',
    width: 44,
    cell: (code) => <IconButton icon="trash" label={`Delete ${code.code}`} onClick={() => onDelete(code)} />,
  },
]

const CodeTable = () => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const { data, error, refetch } = useQuery(codesQuery(session))
  const [deleting, setDeleting] = useState<InvitationCode>()
  return (
    <>
      <DataTable
        label="Codes"
        columns={toColumns(setDeleting)}
        rows={data?.codes}
        toId={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No codes yet">
            Everyone who signs up with a code gets its tier. Approving a request for access creates one automatically.
          </Empty>
        }
      />
      <ConfirmDialog
        isOpen={deleting !== undefined}
        title={`Delete the code ${deleting?.code ?? ''}?`}
        confirm="Delete code"
        onConfirm={async () => {
          if (deleting) await session.client.admin.invitationCodes.delete(deleting.code)
          await refresh()
        }}
        onClose={() => setDeleting(undefined)}
      >
        No one can sign up with this code any more. Accounts that used it keep their tier.
      </ConfirmDialog>
    </>
  )
}

/** The codes that give a tier at sign-up. */
export const Codes = () => {
  const [isMaking, setMaking] = useState(false)
  return (
    <AdminPage
      title="Access codes"
      lead="Everyone who signs up with a code gets its tier."
      actions={
        <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
          New code
        </Button>
      }
    >
      <CodeTable />
      {isMaking && <CodeDialog onClose={() => setMaking(false)} />}
    </AdminPage>
  )
}
