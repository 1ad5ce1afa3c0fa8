import type { Schedule } from '@noema/contracts/schedules.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { schedulesQuery } from '../../data/automations.ts'
import { useSession } from '../../session/session.tsx'
import { StandingCell } from './automation-state.tsx'
import { toCronWords } from './cron-input.tsx'
import { LastStarted, nameTarget, type TargetNames, useTargetNames } from './schedule-target.tsx'

const toColumns = (names: TargetNames): readonly Column<Schedule>[] => [
  {
    key: 'when',
    title: 'When',
    cell: ({ id, cron }) => (
      <Link to="/automations/schedules/$id" params={{ id }}>
        {toCronWords(cron)}
      </Link>
    ),
  },
  { key: 'zone', title: 'Time zone', width: 150, isWide: true, cell: ({ timezone }) => timezone },
  {
    key: 'starts',
    title: 'Starts',
    width: 150,
    isWide: true,
    cell: (schedule) => nameTarget(names, schedule),
  },
  {
    key: 'next',
    title: 'Next',
    width: 110,
    isWide: true,
    cell: ({ nextRunAt }) => (nextRunAt === null ? <span className="muted">none</span> : <Time iso={nextRunAt} />),
  },
  {
    key: 'last',
    title: 'Last fired',
    width: 220,
    isWide: true,
    cell: (schedule) => <LastStarted schedule={schedule} />,
  },
  { key: 'state', title: 'State', width: 150, cell: (schedule) => <StandingCell standing={schedule} /> },
]

/** The schedules. */
export const ScheduleTable = ({ onNew }: { onNew: () => void }) => {
  const { data, error, refetch } = useQuery(schedulesQuery(useSession()))
  const { agents, evals } = useTargetNames()
  const columns = useMemo(() => toColumns({ agents, evals }), [agents, evals])
  return (
    <DataTable
      label="Schedules"
      columns={columns}
      rows={data}
      toId={({ id }) => id}
      error={error}
      onRetry={() => void refetch()}
      empty={
        <Empty
          title="No schedules yet"
          action={
            <Button icon="plus" onClick={onNew}>
              New schedule
            </Button>
          }
        >
          A schedule starts a run of an agent, an eval or a distillation at set times, such as every weekday at nine.
        </Empty>
      }
    />
  )
}
