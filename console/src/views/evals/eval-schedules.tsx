import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { schedulesQuery } from '../../data/automations.ts'
import { useSession } from '../../session/session.tsx'
import { toState } from '../automations/automation-state.tsx'
import { toCronWords } from '../automations/cron-input.tsx'
import { ScheduleDialog } from '../automations/dialogs.ts'

/** The schedules that run an eval. */
export const EvalSchedules = ({ evalId }: { evalId: string }) => {
  const { data } = useQuery(schedulesQuery(useSession()))
  const own = data?.filter((schedule) => schedule.evalId === evalId) ?? []
  return own.map((schedule) => (
    <p key={schedule.id} className="muted">
      Runs by itself:{' '}
      <Link to="/automations/schedules/$id" params={{ id: schedule.id }}>
        {toCronWords(schedule.cron)}
      </Link>{' '}
      <Status state={toState(schedule)} />
    </p>
  ))
}

/** Makes a schedule of an eval. */
export const ScheduleEval = ({ evalId }: { evalId: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="clock" onClick={() => setOpen(true)}>
        Schedule
      </Button>
      {isOpen && <ScheduleDialog evalId={evalId} onClose={() => setOpen(false)} />}
    </>
  )
}
