import type { Distillation } from '@noema/contracts/distillations.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { distillationsQuery } from '../../data/distillations.ts'
import { toTablePages } from '../../data/paging.ts'
import { useSession } from '../../session/session.tsx'
import { EvalsPage } from '../eval-sections/evals-page.tsx'
import { Learn } from '../learn/learn.tsx'

const columns: readonly Column<Distillation>[] = [
  {
    key: 'into',
    title: 'Into',
    cell: ({ id, brain }) => (
      <Link to="/evals" search={{ open: id }}>
        {brain ?? 'a Brain that is gone'}
      </Link>
    ),
  },
  { key: 'state', title: 'State', width: 110, cell: ({ state }) => <Status state={state} /> },
  { key: 'runs', title: 'Runs', width: 80, align: 'end', cell: ({ runs }) => runs },
  { key: 'staged', title: 'Staged', width: 80, align: 'end', cell: ({ staged }) => staged },
  {
    key: 'started',
    title: 'Started',
    width: 120,
    isWide: true,
    cell: ({ createdAt }) => <Time iso={createdAt} />,
  },
]

/** The distillations of the organization. */
export const DistillationList = () => {
  const query = useInfiniteQuery(distillationsQuery(useSession()))
  return (
    <EvalsPage section="distillations" actions={<Learn from={{}} label="Learn from runs" tone="primary" icon="plus" />}>
      <DataTable
        label="Distillations"
        columns={columns}
        rows={query.data?.pages.flatMap((page) => page.distillations)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title="No distillations yet">
            A distillation finds lessons and skills in the journals of runs, and proposes them for review. A{' '}
            <Link to="/automations" search={{ tab: 'schedules' }}>
              schedule
            </Link>{' '}
            can start one at set times.
          </Empty>
        }
      />
    </EvalsPage>
  )
}
