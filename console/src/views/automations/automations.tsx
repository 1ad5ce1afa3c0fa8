import '../../styles/automations.css'
import '../../styles/set-up.css'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { schedulesQuery, triggersQuery } from '../../data/automations.ts'
import { useSession } from '../../session/session.tsx'
import { ScheduleDialog, TriggerDialog } from './dialogs.ts'
import { ScheduleTable } from './schedule-table.tsx'
import { TriggerTable } from './trigger-table.tsx'

const route = getRouteApi('/automations')

type Sort = 'triggers' | 'schedules'

/** Triggers and schedules, which start runs automatically. */
export const Automations = () => {
  const session = useSession()
  const tab: Sort = route.useSearch().tab === 'schedules' ? 'schedules' : 'triggers'
  const navigate = route.useNavigate()
  const [making, setMaking] = useState<Sort>()
  const triggers = useQuery(triggersQuery(session))
  const schedules = useQuery(schedulesQuery(session))
  const close = () => setMaking(undefined)
  return (
    <div className="page stack">
      <PageHeader
        title="Automations"
        actions={
          <>
            <Button icon="plus" onClick={() => setMaking('schedules')}>
              New schedule
            </Button>
            <Button icon="plus" tone="primary" onClick={() => setMaking('triggers')}>
              New trigger
            </Button>
          </>
        }
      />
      <Tabs
        label="Types of automations"
        value={tab}
        onChange={(value) =>
          void navigate({ search: { tab: value === 'triggers' ? undefined : value }, replace: true })
        }
        tabs={[
          {
            value: 'triggers',
            name: 'Triggers',
            count: triggers.data?.length,
            content: () => <TriggerTable onNew={() => setMaking('triggers')} />,
          },
          {
            value: 'schedules',
            name: 'Schedules',
            count: schedules.data?.length,
            content: () => <ScheduleTable onNew={() => setMaking('schedules')} />,
          },
        ]}
      />
      {making === 'triggers' && <TriggerDialog onClose={close} />}
      {making === 'schedules' && <ScheduleDialog onClose={close} />}
    </div>
  )
}
