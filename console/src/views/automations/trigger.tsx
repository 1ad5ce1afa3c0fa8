import '../../styles/automations.css'
import '../../styles/set-up.css'
import '../../styles/runs.css'
import type { ListedTrigger } from '@noema/contracts/triggers.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Empty } from '../../components/empty.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { triggersQuery } from '../../data/automations.ts'
import { useSession } from '../../session/session.tsx'
import { PausedNotice, toState } from './automation-state.tsx'
import { TriggerDialog } from './dialogs.ts'
import { StartedRuns } from './started-runs.tsx'
import { nameAgent, toScopes, useTriggerNames } from './trigger-table.tsx'
import { useTriggerActs } from './use-automation-acts.ts'

const route = getRouteApi('/automations/triggers/$id')

const Facts = ({ listed: { trigger, lastFiredAt } }: { listed: ListedTrigger }) => {
  const { agents, brains } = useTriggerNames()
  const handle = brains.get(trigger.knowledgeGraphId)
  const items: (readonly [string, ReactNode])[] = [
    [
      'Brain',
      handle === undefined ? (
        trigger.knowledgeGraphId
      ) : (
        <Link key="brain" to="/brains/$handle" params={{ handle }}>
          {handle}
        </Link>
      ),
    ],
    ['Kinds', toScopes(trigger)],
    [
      'Agent',
      <Link key="agent" to="/agents/$id" params={{ id: trigger.agentId }}>
        {nameAgent(agents, trigger.agentId)}
      </Link>,
    ],
    ['Its runs', trigger.requiredAccess === 'read_only' ? 'read only' : 'read and write'],
    ['Last fired', lastFiredAt === undefined ? 'never' : <Time key="last" iso={lastFiredAt} />],
    ['Id', <CopyId key="id" id={trigger.id} />],
  ]
  return <KeyValues items={items} />
}

const Opened = ({ listed }: { listed: ListedTrigger }) => {
  const { trigger, paused } = listed
  const navigate = useNavigate()
  const acts = useTriggerActs()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const close = () => setOpen(undefined)
  const standing = { enabled: trigger.enabled, paused }
  useCrumbName(`/automations/triggers/${trigger.id}`, trigger.name)
  const remove = async () => {
    await acts.remove(trigger)
    await navigate({ to: '/automations' })
  }
  return (
    <>
      <PageHeader
        title={trigger.name}
        badges={<Status state={toState(standing)} />}
        actions={
          <>
            <Button icon="trash" onClick={() => setOpen('delete')}>
              Delete
            </Button>
            <Button
              icon={trigger.enabled ? 'pause' : 'play'}
              onClick={() => acts.setEnabled(trigger, !trigger.enabled)}
            >
              <span className="steady">{trigger.enabled ? 'Pause' : 'Resume'}</span>
            </Button>
            <Button icon="edit" tone="primary" onClick={() => setOpen('edit')}>
              Change
            </Button>
          </>
        }
      />
      <PausedNotice standing={standing} onGoOn={() => acts.setEnabled(trigger, true)} />
      <div className="run-columns">
        <StartedRuns starter={{ triggerId: trigger.id }} />
        <div className="stack">
          <Panel title="Starts a run">
            <Facts listed={listed} />
          </Panel>
          <Panel title="Expected outcome">
            <p className="message-text">{trigger.expectedOutcome || 'None.'}</p>
          </Panel>
        </div>
      </div>
      {open === 'edit' && <TriggerDialog trigger={trigger} onClose={close} />}
      <ConfirmDialog
        isOpen={open === 'delete'}
        title={`Delete ${trigger.name}?`}
        confirm="Delete trigger"
        onConfirm={remove}
        onClose={close}
      >
        <p>It starts no new runs. Its earlier runs continue and are kept.</p>
      </ConfirmDialog>
    </>
  )
}

/** One trigger: its kinds, its state, and its runs. */
export const TriggerPage = () => {
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(triggersQuery(useSession()))
  const listed = data?.find(({ trigger }) => trigger.id === id)
  return (
    <div className="page stack">
      {!listed && <PageHeader title="Trigger" />}
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton lines={12} />}
      {data && !listed && (
        <Empty title="Trigger not found" action={<Link to="/automations">All automations</Link>}>
          It was deleted, or belongs to another organization.
        </Empty>
      )}
      {listed && <Opened listed={listed} />}
    </div>
  )
}
