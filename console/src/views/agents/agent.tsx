import '../../styles/account.css'
import '../../styles/automations.css'
import '../../styles/runs.css'
import '../../styles/set-up.css'
import type { Agent } from '@noema/contracts/agents.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge, Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Json } from '../../components/json.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { agentQuery } from '../../data/agents.ts'
import { toQuestion, toQuestionLine } from '../../data/questions.ts'
import { runsQuery } from '../../data/runs.ts'
import { useSession } from '../../session/session.tsx'
import { Learn } from '../learn/learn.tsx'
import { AgentDialog } from './agent-dialog.tsx'
import { AgentFacts } from './agent-facts.tsx'
import { StartRun } from './start-run.tsx'
import { Starters } from './starters.tsx'
import { Versions } from './versions.tsx'

const route = getRouteApi('/agents/$id')

const RecentRuns = ({ id }: { id: string }) => {
  const { data, error } = useInfiniteQuery(runsQuery(useSession(), { agentId: id }))
  const runs = data?.pages[0]?.runs.slice(0, 8)
  return (
    <Panel
      title="Recent runs"
      actions={
        <>
          {runs && runs.length > 0 && <Learn from={{ agentId: id }} label="Learn from runs" size="small" />}
          <Link to="/runs" search={{ agent: id }}>
            All runs
          </Link>
        </>
      }
    >
      <FailureNotice error={error} />
      {!runs && !error && <Skeleton lines={4} />}
      {runs?.length === 0 && <p className="muted">No runs yet.</p>}
      <ul className="lines">
        {runs?.map((run) => (
          <li key={run.runId}>
            <span className="line-main">
              <Link to="/runs/$id" params={{ id: run.runId }} className="run-line">
                {toQuestionLine(toQuestion(run))}
              </Link>
              <span className="muted">
                <Time iso={run.createdAt} /> · version {run.agentVersion}
              </span>
            </span>
            <Status state={run.state} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

type Open = 'start' | 'edit' | 'archive'

const Archive = ({ agent, onClose }: { agent: Agent; onClose: () => void }) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const archive = async () => {
    await client.agents.delete(agent.id)
    await queries.invalidateQueries({ queryKey: [organization.id, 'agents'] })
  }
  return (
    <ConfirmDialog isOpen title={`Archive ${agent.name}?`} confirm="Archive" onConfirm={archive} onClose={onClose}>
      <p>Its runs are abandoned, and it can start no new ones. You can still read it.</p>
    </ConfirmDialog>
  )
}

const Actions = ({ id, onOpen }: { id: string; onOpen: (open: Open) => void }) => (
  <>
    <LinkButton to="/agents/$id/chat" params={{ id }}>
      Chat
    </LinkButton>
    <Button onClick={() => onOpen('archive')}>Archive</Button>
    <Button icon="edit" onClick={() => onOpen('edit')}>
      Change
    </Button>
    <Button tone="primary" icon="play" onClick={() => onOpen('start')}>
      Start a run
    </Button>
  </>
)

const Opened = ({ agent }: { agent: Agent }) => {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  useCrumbName(`/agents/${agent.id}`, agent.name)
  return (
    <>
      <PageHeader
        title={agent.name}
        badges={
          <>
            <Badge>version {agent.version}</Badge>
            {agent.archivedAt !== null && <Badge tone="warning">archived</Badge>}
          </>
        }
        actions={agent.archivedAt === null && <Actions id={agent.id} onOpen={setOpen} />}
      />
      <div className="run-columns">
        <div className="stack">
          <Panel title="Configuration">
            <AgentFacts agent={agent} />
          </Panel>
          <Panel title="Instructions">
            <p className="message-text">{agent.instructions || 'None.'}</p>
          </Panel>
          {agent.outputSchema && <Json label="Output schema" value={agent.outputSchema} depth={2} />}
          <Versions id={agent.id} />
        </div>
        <div className="stack">
          <RecentRuns id={agent.id} />
          <Starters agentId={agent.id} isArchived={agent.archivedAt !== null} />
        </div>
      </div>
      {open === 'start' && <StartRun agent={agent} onClose={close} />}
      {open === 'edit' && <AgentDialog agent={agent} onClose={close} />}
      {open === 'archive' && <Archive agent={agent} onClose={close} />}
    </>
  )
}

/** One agent: its configuration, versions and latest runs. */
export const AgentPage = () => {
  const { data, error } = useQuery(agentQuery(useSession(), route.useParams().id))
  return (
    <div className="page stack">
      <FailureNotice error={error} />
      {!data && !error && <Skeleton lines={12} />}
      {data && <Opened agent={data} />}
    </div>
  )
}
