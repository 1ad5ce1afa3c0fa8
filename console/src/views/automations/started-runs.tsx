import type { Run } from '@noema/contracts/runs.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Status } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Panel } from '../../components/panel.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import type { Starter } from '../../data/automations.ts'
import { toTablePages } from '../../data/paging.ts'
import { toQuestion, toQuestionLine } from '../../data/questions.ts'
import { runsQuery } from '../../data/runs.ts'
import { toCost, toDuration } from '../../items/duration.ts'
import { useSession } from '../../session/session.tsx'
import { countFailures, toFailures } from './automation-state.tsx'

const columns: readonly Column<Run>[] = [
  {
    key: 'started',
    title: 'Started',
    width: 120,
    cell: ({ runId, createdAt }) => (
      <Link to="/runs/$id" params={{ id: runId }}>
        <Time iso={createdAt} />
      </Link>
    ),
  },
  {
    key: 'question',
    title: 'Question',
    isWide: true,
    cell: (run) => {
      const question = toQuestionLine(toQuestion(run))
      return <span title={question}>{question}</span>
    },
  },
  { key: 'state', title: 'State', width: 120, cell: ({ state }) => <Status state={state} /> },
  {
    key: 'took',
    title: 'Took',
    width: 90,
    align: 'end',
    isWide: true,
    cell: ({ startedAt, completedAt }) =>
      startedAt && completedAt ? toDuration(Date.parse(completedAt) - Date.parse(startedAt)) : '',
  },
  { key: 'cost', title: 'Cost', width: 90, align: 'end', isWide: true, cell: ({ usage }) => toCost(usage.costCents) },
  {
    key: 'why',
    title: 'Reason',
    isWide: true,
    cell: ({ failureReason, abandonReason }) => (
      <span title={failureReason ?? abandonReason}>{failureReason ?? abandonReason ?? ''}</span>
    ),
  },
]

/** The runs that a trigger or schedule started, newest first, and whether the last of them failed. */
export const StartedRuns = ({ starter }: { starter: Starter }) => {
  const query = useInfiniteQuery(runsQuery(useSession(), starter))
  const runs = query.data?.pages.flatMap((page) => page.runs)
  const failures = countFailures(runs ?? [])
  return (
    <Panel
      title="Started runs"
      description={failures > 1 && <Status state="failed" label={`failed ${toFailures(failures)}`} />}
      isFlush
    >
      <DataTable
        label="Started runs"
        columns={columns}
        rows={runs}
        toId={({ runId }) => runId}
        {...toTablePages(query)}
        empty={<Empty title="No runs yet" />}
        height={520}
      />
    </Panel>
  )
}
