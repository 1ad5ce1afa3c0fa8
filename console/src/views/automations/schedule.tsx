import '../../styles/automations.css'
import '../../styles/set-up.css'
import '../../styles/runs.css'
import type { Schedule } from '@noema/contracts/schedules.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Empty } from '../../components/empty.tsx'
import { Json } from '../../components/json.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { schedulesQuery } from '../../data/automations.ts'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { PausedNotice, toState } from './automation-state.tsx'
import { CronPreview, toCronWords } from './cron-input.tsx'
import { ScheduleDialog } from './dialogs.ts'
import { LastStarted, nameTarget, TargetLink, useTargetNames } from './schedule-target.tsx'
import { type ScheduleKind, toKind } from './schedule-values.ts'
import { StartedRuns } from './started-runs.tsx'
import { nameAgent } from './trigger-table.tsx'
import { useScheduleActs } from './use-automation-acts.ts'

const route = getRouteApi('/automations/schedules/$id')

const kinds: Record<ScheduleKind, string> = { agent: 'Agent', eval: 'Eval', distillation: 'Starts' }

/** The runs that a distillation reads. */
const toRunsFact = (
  agents: ReadonlyMap<string, string> | undefined,
  { distillation }: Schedule,
): (readonly [string, ReactNode])[] => {
  if (!distillation) return []
  const { agentId, sinceDays } = distillation.from
  const who = agentId === undefined ? 'all agents' : nameAgent(agents, agentId)
  return [['Runs', `of ${who}${sinceDays === undefined ? '' : `, of the last ${plural(sinceDays, 'day')}`}`]]
}

const Facts = ({ schedule }: { schedule: Schedule }) => {
  const names = useTargetNames()
  const { id, cron, timezone, nextRunAt, lastFiredAt, createdAt, updatedAt } = schedule
  const items: (readonly [string, ReactNode])[] = [
    [
      kinds[toKind(schedule)],
      <TargetLink key="target" schedule={schedule}>
        {nameTarget(names, schedule)}
      </TargetLink>,
    ],
    ...toRunsFact(names.agents, schedule),
    ['Cron', <code key="cron">{cron}</code>],
    ['Time zone', timezone],
    ['Next', nextRunAt === null ? 'none' : <Time key="next" iso={nextRunAt} />],
    ['Last fired', lastFiredAt === null ? 'never' : <LastStarted key="last" schedule={schedule} />],
    ['Created', <Time key="created" iso={createdAt} />],
    ['Changed', <Time key="changed" iso={updatedAt} />],
    ['Id', <CopyId key="id" id={id} />],
  ]
  return <KeyValues items={items} />
}

/** Starts the same now. It belongs to the person and does not count as a firing of the schedule. */
const useRunNow = ({ agentId, input, evalId, trials, distillation }: Schedule) => {
  const { client } = useSession()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async () => {
      if (evalId !== undefined) {
        await client.evals.run(evalId, { trials })
        return navigate({ to: '/evals', search: { open: evalId } })
      }
      if (distillation) {
        const started = await client.distillations.start(distillation)
        return navigate({ to: '/evals', search: { open: started.distillation.id } })
      }
      const { run } = await client.runs.start({ agentId: agentId ?? '', input: input ?? '' })
      return navigate({ to: '/runs/$id', params: { id: run.runId } })
    },
    meta: { failure: 'Nothing was started' },
  })
}

type ActionsProps = { schedule: Schedule; onOpen: (open: 'edit' | 'delete') => void }

const Actions = ({ schedule, onOpen }: ActionsProps) => {
  const acts = useScheduleActs()
  const runNow = useRunNow(schedule)
  return (
    <>
      <Button icon="trash" onClick={() => onOpen('delete')}>
        Delete
      </Button>
      <Button icon={schedule.enabled ? 'pause' : 'play'} onClick={() => acts.setEnabled(schedule, !schedule.enabled)}>
        <span className="steady">{schedule.enabled ? 'Pause' : 'Resume'}</span>
      </Button>
      <Button isBusy={runNow.isPending} onClick={() => runNow.mutate()}>
        Run now
      </Button>
      <Button icon="edit" tone="primary" onClick={() => onOpen('edit')}>
        Change
      </Button>
    </>
  )
}

const Opened = ({ schedule }: { schedule: Schedule }) => {
  const navigate = useNavigate()
  const acts = useScheduleActs()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const close = () => setOpen(undefined)
  const { id, cron, timezone, input } = schedule
  useCrumbName(`/automations/schedules/${id}`, toCronWords(cron))
  const remove = async () => {
    await acts.remove(schedule)
    await navigate({ to: '/automations', search: { tab: 'schedules' } })
  }
  return (
    <>
      <PageHeader
        title={toCronWords(cron)}
        badges={<Status state={toState(schedule)} />}
        actions={<Actions schedule={schedule} onOpen={setOpen} />}
      />
      <PausedNotice standing={schedule} onGoOn={() => acts.setEnabled(schedule, true)} />
      <div className="run-columns">
        {schedule.agentId !== undefined && <StartedRuns starter={{ scheduleId: id }} />}
        <div className="stack">
          <Panel title="Starts">
            <Facts schedule={schedule} />
          </Panel>
          <Panel title="Next times" description={timezone}>
            {schedule.enabled ? <CronPreview cron={cron} timezone={timezone} /> : <p>Disabled.</p>}
          </Panel>
          {typeof input === 'string' && (
            <Panel title="Input of each run">
              <p className="message-text">{input}</p>
            </Panel>
          )}
          {Array.isArray(input) && <Json label="Input of each run" value={input} />}
        </div>
      </div>
      {open === 'edit' && <ScheduleDialog schedule={schedule} onClose={close} />}
      <ConfirmDialog
        isOpen={open === 'delete'}
        title="Delete this schedule?"
        confirm="Delete schedule"
        onConfirm={remove}
        onClose={close}
      >
        <p>It starts nothing more. What it started continues and is kept.</p>
      </ConfirmDialog>
    </>
  )
}

/** One schedule: its times, its input, and the runs that it started. */
export const SchedulePage = () => {
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(schedulesQuery(useSession()))
  const schedule = data?.find((one) => one.id === id)
  return (
    <div className="page stack">
      {!schedule && <PageHeader title="Schedule" />}
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton lines={12} />}
      {data && !schedule && (
        <Empty title="Schedule not found" action={<Link to="/automations">All automations</Link>}>
          It was deleted, or belongs to another organization.
        </Empty>
      )}
      {schedule && <Opened schedule={schedule} />}
    </div>
  )
}
