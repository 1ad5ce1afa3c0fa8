import { toAmount } from '../../plural.ts'
import '../../styles/runs.css'
import type { Run } from '@noema/contracts/runs.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Json } from '../../components/json.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Stat } from '../../components/stat.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { agentQuery } from '../../data/agents.ts'
import { toQuestion, toQuestionLine } from '../../data/questions.ts'
import { hasEnded, messagesQuery, operationsQuery, runQuery, runTasksQuery } from '../../data/runs.ts'
import { ActorName } from '../../items/actor-name.tsx'
import { toCost, toDuration } from '../../items/duration.ts'
import { useSession } from '../../session/session.tsx'
import { AddCase } from '../eval-cases/add-case.tsx'
import { Learn } from '../learn/learn.tsx'
import { Messages } from './messages.tsx'
import { OperationDetail } from './operation-detail.tsx'
import { Question } from './question.tsx'
import { RunFiles } from './run-files.tsx'
import { ShareRun } from './share-run.tsx'
import { toTimeline } from './timeline.ts'
import { useRunStream } from './use-run-stream.ts'
import { Waterfall } from './waterfall.tsx'

const route = getRouteApi('/runs/$id')

const toTime = ({ startedAt, completedAt }: Run): string => {
  if (startedAt === null) return 'not begun'
  return toDuration((completedAt === null ? Date.now() : Date.parse(completedAt)) - Date.parse(startedAt))
}

/** The starter of the run, with a link. */
const StartedBy = ({ trigger, scheduleId, parentRunId, startedBy }: Run) => {
  if (trigger)
    return (
      <Link to="/automations/triggers/$id" params={{ id: trigger.id }}>
        trigger
      </Link>
    )
  if (scheduleId !== undefined)
    return (
      <Link to="/automations/schedules/$id" params={{ id: scheduleId }}>
        schedule
      </Link>
    )
  if (parentRunId === undefined) return <ActorName actor={startedBy} />
  return (
    <Link to="/runs/$id" params={{ id: parentRunId }}>
      another run
    </Link>
  )
}

const Figures = ({ run, operations }: { run: Run; operations: number | undefined }) => (
  <div className="stats">
    <Stat label="Duration" value={toTime(run)} hint={<Time iso={run.createdAt} />} />
    <Stat label="Operations" value={operations ?? '…'} />
    <Stat label="Tokens in" value={run.usage.inputTokens} />
    <Stat label="Tokens out" value={run.usage.outputTokens} />
    <Stat label="Cost" value={toCost(run.usage.costCents)} />
    <Stat label="Started by" value={<StartedBy {...run} />} />
  </div>
)

const CancelRun = ({ run }: { run: Run }) => {
  const { client } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (hasEnded(run)) return null
  return (
    <>
      <Button icon="stop" onClick={() => setOpen(true)}>
        Cancel run
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Cancel this run?"
        confirm="Cancel run"
        onConfirm={() => client.runs.cancel(run.runId)}
        onClose={() => setOpen(false)}
      >
        <p>The run stops, with the runs that it waits for. Its writes stay.</p>
      </ConfirmDialog>
    </>
  )
}

const Outcome = ({ run }: { run: Run }) => {
  if (run.failureReason !== undefined)
    return (
      <Notice tone="danger" title={`Failed: ${run.failureCategory ?? 'internal'}`}>
        <p>{run.failureReason}</p>
      </Notice>
    )
  if (run.abandonReason === undefined) return null
  return (
    <Notice tone="warning" title="It was abandoned">
      <p>{run.abandonReason}</p>
    </Notice>
  )
}

const Work = ({ run }: { run: Run }) => {
  const session = useSession()
  const { operation: openId, failed } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useQuery(operationsQuery(session, run.runId))
  const { data: agent } = useQuery({ ...agentQuery(session, run.agentId), enabled: run.flow === undefined })
  const isFailedOnly = failed === 'true'
  const timeline = useMemo(
    () => data && toTimeline(data.operations, { isFailedOnly, now: Date.now() }),
    [data, isFailedOnly],
  )
  const open = (id: string | undefined) =>
    void navigate({ search: (search) => ({ ...search, operation: id }), replace: true, resetScroll: false })
  const filter = (isOn: boolean) =>
    void navigate({ search: (search) => ({ ...search, failed: isOn ? 'true' : undefined }), replace: true })
  return (
    <Panel
      title="Operations"
      description={timeline && `${toDuration(timeline.milliseconds)} in all`}
      actions={
        <Checkbox
          label={`Failed only${timeline ? ` (${timeline.failed})` : ''}`}
          checked={isFailedOnly}
          onChange={filter}
        />
      }
      isFlush
    >
      <FailureNotice error={error}>
        <Button size="small" onClick={() => void refetch()}>
          Try again
        </Button>
      </FailureNotice>
      {!timeline && !error && <Skeleton lines={8} />}
      {timeline?.rows.length === 0 && (
        <p className="empty">{isFailedOnly ? 'No failed operations.' : 'No operations yet.'}</p>
      )}
      {timeline && timeline.rows.length > 0 && <Waterfall timeline={timeline} openId={openId} onOpen={open} />}
      {data?.hasMore && <p className="muted">These are the first {toAmount(data.operations.length)}.</p>}
      <OperationDetail
        operation={data?.operations.find(({ id }) => id === openId)}
        brains={agent?.brains ?? []}
        onClose={() => open(undefined)}
      />
    </Panel>
  )
}

const Said = ({ run, live }: { run: Run; live: string }) => {
  const { data, error } = useQuery(messagesQuery(useSession(), run.runId))
  return (
    <Panel title="Messages">
      <FailureNotice error={error} />
      {!data && !error && <Skeleton lines={4} />}
      {data && <Messages messages={data} live={live} />}
      {run.output !== undefined && <Json label="Output" value={run.output} depth={2} />}
    </Panel>
  )
}

/** The question of a run, as a case of an eval has it. */
const toInput = (run: Run): string =>
  (typeof run.input === 'string' ? run.input : toQuestionLine(toQuestion(run))).slice(0, maxInput)
const maxInput = 20_000

/** A long name would push the other breadcrumbs aside. */
const shorten = (text: string): string => (text.length > maxCrumb ? `${text.slice(0, maxCrumb - 1)}…` : text)
const maxCrumb = 48

const Opened = ({ run }: { run: Run }) => {
  const session = useSession()
  const live = useRunStream(run)
  const { data: agent } = useQuery({ ...agentQuery(session, run.agentId), enabled: run.flow === undefined })
  const { data: tasks } = useQuery({ ...runTasksQuery(session, run.runId), enabled: run.state === 'waiting' })
  const { data: did } = useQuery(operationsQuery(session, run.runId))
  const written = did?.operations.filter((one) => 'toolName' in one && one.toolName === 'artifact_write').length ?? 0
  const question = toQuestionLine(toQuestion(run))
  useCrumbName(`/runs/${run.runId}`, shorten(question))
  return (
    <>
      <PageHeader
        title={<span className="run-title">{question}</span>}
        badges={
          <>
            <Status state={run.state} />
            <span className="muted">
              {run.flow === undefined ? (
                <>
                  <Link to="/agents/$id" params={{ id: run.agentId }}>
                    {agent?.name ?? 'agent'}
                  </Link>
                  , version {run.agentVersion}
                </>
              ) : (
                'steps of your own code'
              )}
            </span>
            <CopyId id={run.runId} what="the id of the run" />
          </>
        }
        actions={
          <>
            {hasEnded(run) && run.flow === undefined && (
              <>
                <Learn from={{ agentId: run.agentId, run: { id: run.runId, question } }} label="Learn from it" />
                <AddCase asked={{ input: toInput(run), target: { agentId: run.agentId } }} />
              </>
            )}
            <ShareRun run={run} />
            <CancelRun run={run} />
          </>
        }
      />
      <Outcome run={run} />
      {run.state === 'waiting' && tasks?.map((task) => <Question key={task.taskId} task={task} />)}
      <Figures run={run} operations={did?.operations.length} />
      <div className="run-columns">
        <Work run={run} />
        <Said run={run} live={live} />
      </div>
      {written > 0 && <RunFiles runId={run.runId} written={written} />}
    </>
  )
}

/** One run: its state, timeline, messages and questions, which are shown together, so that none pushes another one down. */
export const RunPage = () => {
  const { id } = route.useParams()
  const session = useSession()
  const { data, error, refetch } = useQuery(runQuery(session, id))
  const operations = useQuery(operationsQuery(session, id))
  const messages = useQuery(messagesQuery(session, id))
  const hasArrived = !operations.isPending && !messages.isPending
  return (
    <div className="page stack">
      <FailureNotice error={error}>
        <Button size="small" onClick={() => void refetch()}>
          Try again
        </Button>
      </FailureNotice>
      {!error && !(data && hasArrived) && <Skeleton height={480} />}
      {data && hasArrived && <Opened run={data.run} />}
    </div>
  )
}
