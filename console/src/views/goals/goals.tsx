import type { Goal } from '@noema/contracts/goals.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { goalsQuery } from '../../data/goals.ts'
import { toTablePages } from '../../data/paging.ts'
import { useSession } from '../../session/session.tsx'
import { AgentTabs } from '../agents/agent-tabs.tsx'
import { toneOfGoal } from './goal-tone.ts'

const columns: readonly Column<Goal>[] = [
  {
    key: 'objective',
    title: 'Objective',
    cell: ({ id, objective }) => (
      <Link to="/evals" search={{ open: id }}>
        {objective.slice(0, 200)}
      </Link>
    ),
  },
  {
    key: 'state',
    title: 'State',
    width: 120,
    cell: ({ state }) => <Status state={state} tone={toneOfGoal(state)} />,
  },
  {
    key: 'attempts',
    title: 'Attempts',
    width: 100,
    align: 'end',
    isWide: true,
    cell: ({ attempts, budget }) => `${attempts} of ${budget.runs}`,
  },
  {
    key: 'changed',
    title: 'Changed',
    width: 120,
    isWide: true,
    cell: ({ updatedAt }) => <Time iso={updatedAt} />,
  },
]

/** The organization's goals. */
export const GoalList = () => {
  const query = useInfiniteQuery(goalsQuery(useSession()))
  return (
    <div className="page stack">
      <PageHeader title="Goals" actions={<Link to="/evals">Evals</Link>} />
      <AgentTabs />
      <DataTable
        label="Goals"
        columns={columns}
        rows={query.data?.pages.flatMap((page) => page.goals)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title="No goals yet">
            An agent tries to reach a goal until graders say that it is met, or its budget is used up. Make one:{' '}
            <code>noema goals create</code>.
          </Empty>
        }
      />
    </div>
  )
}
