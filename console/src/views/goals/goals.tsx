import type { Goal } from '@noema/contracts/goals.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { later } from '../../components/later.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { goalsQuery } from '../../data/goals.ts'
import { toTablePages } from '../../data/paging.ts'
import { useSession } from '../../session/session.tsx'
import { EvalsPage } from '../eval-sections/evals-page.tsx'
import { toneOfGoal } from './goal-tone.ts'

const GoalDialog = later(async () => (await import('./goal-dialog.tsx')).GoalDialog)

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
  const [isMaking, setMaking] = useState(false)
  const make = (
    <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
      New goal
    </Button>
  )
  return (
    <EvalsPage section="goals" actions={make}>
      <DataTable
        label="Goals"
        columns={columns}
        rows={query.data?.pages.flatMap((page) => page.goals)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title="No goals yet">
            An agent tries to reach a goal until graders say that it is met, or its budget is used up.
          </Empty>
        }
      />
      {isMaking && <GoalDialog onClose={() => setMaking(false)} />}
    </EvalsPage>
  )
}
