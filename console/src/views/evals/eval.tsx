import '../../styles/runs.css'
import type { EvalRun } from '@noema/contracts/eval-runs.ts'
import type { Eval } from '@noema/contracts/evals.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Empty } from '../../components/empty.tsx'
import { later } from '../../components/later.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { OpenedPage } from '../../components/opened-page.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { evalQuery, evalRunsQuery } from '../../data/evals.ts'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { GraderSummaries } from '../graders/grader-summary.tsx'
import { toDelta, toPercent } from '../graders/to-percent.ts'
import { EvalCases } from './eval-cases.tsx'
import { EvalSchedules, ScheduleEval } from './eval-schedules.tsx'
import { OpenedRun } from './opened-run.tsx'
import { TargetName } from './target-name.tsx'

const columns: readonly Column<EvalRun>[] = [
  {
    key: 'started',
    title: 'Started',
    cell: ({ createdAt }) => <Time iso={createdAt} />,
  },
  { key: 'state', title: 'State', width: 120, cell: ({ state }) => <Status state={state} /> },
  {
    key: 'score',
    title: 'Score',
    width: 100,
    align: 'end',
    cell: ({ summary, done, cases, trials }) => (summary ? toPercent(summary.score) : `${done} of ${cases * trials}`),
  },
  {
    key: 'delta',
    title: 'Change',
    width: 100,
    align: 'end',
    isWide: true,
    cell: ({ baseline }) => toDelta(baseline?.delta ?? null),
  },
  {
    key: 'flipped',
    title: 'Flipped',
    width: 90,
    align: 'end',
    isWide: true,
    cell: ({ baseline }) => baseline?.flippedCases ?? '',
  },
]

/** Starts a run of the eval. */
const StartRun = ({ id, onStarted }: { id: string; onStarted: (runId: string) => void }) => {
  const session = useSession()
  const cache = useQueryClient()
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const start = async () => {
    setStarting(true)
    setFailure(undefined)
    try {
      const { run } = await session.client.evals.run(id, {})
      await cache.invalidateQueries({ queryKey: evalRunsQuery(session, id).queryKey })
      onStarted(run.id)
    } catch (error) {
      setFailure(error)
    } finally {
      setStarting(false)
    }
  }
  return (
    <>
      <Button tone="primary" icon="play" disabled={isStarting} onClick={() => void start()}>
        Run
      </Button>
      <FailureNotice error={failure} />
    </>
  )
}

const Archive = ({ id, name }: Pick<Eval, 'id' | 'name'>) => {
  const session = useSession()
  const cache = useQueryClient()
  const archive = async () => {
    await session.client.evals.delete(id)
    await cache.invalidateQueries({ queryKey: [session.organization.id, 'evals'] })
  }
  return (
    <ConfirmButton size="normal" label="Archive" title={`Archive ${name}?`} confirm="Archive eval" onConfirm={archive}>
      <p>Its runs are canceled, and no new one can be started. It can still be read.</p>
    </ConfirmButton>
  )
}

const EvalDialog = later(async () => (await import('./eval-dialog.tsx')).EvalDialog)

const Edit = ({ tested }: { tested: Eval }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="edit" onClick={() => setOpen(true)}>
        Edit
      </Button>
      {isOpen && <EvalDialog tested={tested} onClose={() => setOpen(false)} />}
    </>
  )
}

const Opened = ({ tested }: { tested: Eval }) => {
  const { id, name, version, target, cases, graders, archivedAt } = tested
  const session = useSession()
  const [runId, open] = useState<string>()
  const { data: runs, error, refetch } = useQuery(evalRunsQuery(session, id))
  const opened = runs?.find((run) => run.id === runId)
  return (
    <>
      <PageHeader
        crumbs={<Link to="/evals">Evals</Link>}
        title={name}
        badges={
          <>
            <span className="muted">
              <TargetName target={target} />, {plural(cases, 'case')}, version {version}
            </span>
            <CopyId id={id} what="the id of the eval" />
          </>
        }
        actions={
          archivedAt === null && (
            <>
              <Archive id={id} name={name} />
              <Edit tested={tested} />
              <ScheduleEval evalId={id} />
              <StartRun id={id} onStarted={open} />
            </>
          )
        }
      />
      {archivedAt !== null && (
        <Notice tone="warning" title="It is archived">
          <p>It can be read, but neither run nor changed.</p>
        </Notice>
      )}
      <GraderSummaries graders={graders} />
      <EvalSchedules evalId={id} />
      <DataTable
        label="Runs of the eval"
        columns={columns}
        rows={runs}
        toId={(run) => run.id}
        error={error}
        onRetry={() => void refetch()}
        onOpen={(run) => open(run.id)}
        empty={<Empty title="No runs yet">Run it to see which cases pass.</Empty>}
      />
      {opened && <OpenedRun key={opened.id} run={opened} onClose={() => open(undefined)} />}
      <EvalCases tested={tested} />
    </>
  )
}

/** An eval, its runs, and the cases of one of them. */
export const EvalPage = ({ id }: { id: string }) => {
  const { data, error, refetch } = useQuery(evalQuery(useSession(), id))
  return (
    <OpenedPage error={error} isRead={data !== undefined} onRetry={() => void refetch()}>
      {data && <Opened tested={data} />}
    </OpenedPage>
  )
}
