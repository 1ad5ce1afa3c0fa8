import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { schedulesQuery, triggersQuery } from '../../data/automations.ts'
import { useSession } from '../../session/session.tsx'
import { toState } from '../automations/automation-state.tsx'
import { toCronWords } from '../automations/cron-input.tsx'
import { ScheduleDialog, TriggerDialog } from '../automations/dialogs.ts'

/** The triggers and schedules of an agent, with links to them. */
export const Starters = ({ agentId, isArchived }: { agentId: string; isArchived: boolean }) => {
  const session = useSession()
  const triggers = useQuery(triggersQuery(session))
  const schedules = useQuery(schedulesQuery(session))
  const [making, setMaking] = useState<'trigger' | 'schedule'>()
  const ownTriggers = triggers.data?.filter(({ trigger }) => trigger.agentId === agentId)
  const ownSchedules = schedules.data?.filter((schedule) => schedule.agentId === agentId)
  const error = triggers.error ?? schedules.error
  const close = () => setMaking(undefined)
  return (
    <Panel
      title="Started by"
      actions={
        !isArchived && (
          <>
            <Button size="small" icon="plus" onClick={() => setMaking('trigger')}>
              Trigger
            </Button>
            <Button size="small" icon="plus" onClick={() => setMaking('schedule')}>
              Schedule
            </Button>
          </>
        )
      }
    >
      <FailureNotice error={error} />
      {(!ownTriggers || !ownSchedules) && !error && <Skeleton lines={3} />}
      {ownTriggers?.length === 0 && ownSchedules?.length === 0 && (
        <p className="muted">Only by people and other agents.</p>
      )}
      <ul className="lines">
        {ownTriggers?.map(({ trigger: { id, name, enabled }, paused }) => (
          <li key={id}>
            <span className="line-main">
              <Link to="/automations/triggers/$id" params={{ id }}>
                {name}
              </Link>
              <span className="muted">trigger</span>
            </span>
            <Status state={toState({ enabled, paused })} />
          </li>
        ))}
        {ownSchedules?.map(({ id, cron, timezone, enabled, paused }) => (
          <li key={id}>
            <span className="line-main">
              <Link to="/automations/schedules/$id" params={{ id }}>
                {toCronWords(cron)}
              </Link>
              <span className="muted">{timezone}</span>
            </span>
            <Status state={toState({ enabled, paused })} />
          </li>
        ))}
      </ul>
      {making === 'trigger' && <TriggerDialog agentId={agentId} onClose={close} />}
      {making === 'schedule' && <ScheduleDialog agentId={agentId} onClose={close} />}
    </Panel>
  )
}
