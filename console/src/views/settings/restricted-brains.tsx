import type { RestrictedBrain } from '@noema/contracts/brain-access.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { Panel } from '../../components/panel.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { showToast } from '../../components/toast.ts'
import { restrictedBrainsQuery, takeOverBrain } from '../../data/brain-access.ts'
import { toTablePages } from '../../data/paging.ts'
import { useSession } from '../../session/session.tsx'

const toColumns = (onTakeOver: (handle: string) => void): readonly Column<RestrictedBrain>[] => [
  {
    key: 'handle',
    title: 'Brain',
    cell: ({ handle, role }) =>
      role === null ? (
        handle
      ) : (
        <Link to="/brains/$handle" params={{ handle }}>
          {handle}
        </Link>
      ),
  },
  {
    key: 'managers',
    title: 'Managers',
    isWide: true,
    cell: ({ managers }) => <span title={managers.join(', ')}>{managers.join(', ') || 'none'}</span>,
  },
  { key: 'members', title: 'Members', width: 80, align: 'end', isWide: true, cell: ({ members }) => members },
  { key: 'since', title: 'Since', width: 110, isWide: true, cell: ({ restrictedAt }) => <Time iso={restrictedAt} /> },
  {
    key: 'acts',
    title: '',
    width: 132,
    align: 'end',
    cell: ({ handle, role }) =>
      role === 'manager' ? (
        <Badge tone="accent">manager</Badge>
      ) : (
        <Button size="small" onClick={() => onTakeOver(handle)}>
          Take over…
        </Button>
      ),
  },
]

const TakeOverDialog = ({ handle, onClose }: { handle: string; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const takeOver = async () => {
    await takeOverBrain(queries, session, handle)
    showToast({ tone: 'good', title: `You are a manager of ${handle} now` })
  }
  return (
    <ConfirmDialog isOpen title={`Take over ${handle}?`} confirm="Take over" onConfirm={takeOver} onClose={onClose}>
      <p>
        You become a manager: you see all content of the Brain and can change who uses it. The audit log records it, and
        the other managers are notified.
      </p>
    </ConfirmDialog>
  )
}

/** The Brains that are open to named members only. For owners, who may not see them otherwise. */
export const RestrictedBrains = () => {
  const query = useInfiniteQuery(restrictedBrainsQuery(useSession()))
  const [asked, setAsked] = useState<string>()
  return (
    <Panel title="Restricted Brains" isFlush description="Open to named members only. Owners can take them over.">
      <DataTable
        label="Restricted Brains"
        columns={toColumns(setAsked)}
        rows={query.data?.pages.flatMap((page) => page.brains)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        height={360}
        empty={<Empty title="No restricted Brains">Every Brain is open to all members.</Empty>}
      />
      {asked !== undefined && <TakeOverDialog handle={asked} onClose={() => setAsked(undefined)} />}
    </Panel>
  )
}
