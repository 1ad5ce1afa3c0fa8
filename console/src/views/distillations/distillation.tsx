import type { Distillation, DistilledItem } from '@noema/contracts/distillations.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge, Status } from '../../components/badge.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { distillationQuery } from '../../data/distillations.ts'
import { plural, toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const findings = {
  tool_sequence: 'repeated tools',
  tool_failure: 'a tool that fails',
  no_evidence: 'nothing found',
  correction: 'a correction',
}

const toColumns = (brain: string | null): readonly Column<DistilledItem>[] => [
  {
    key: 'summary',
    title: 'Item',
    cell: ({ type, summary, flags, note }) => (
      <>
        <Badge>{type}</Badge> {summary}{' '}
        {flags.includes('instructions') && <Badge tone="warning">tries to instruct</Badge>}
        {flags.includes('hidden_characters') && <Badge tone="warning">hidden characters</Badge>}
        {note !== undefined && <span className="muted small"> {note}</span>}
      </>
    ),
  },
  { key: 'finding', title: 'Found by', width: 130, isWide: true, cell: ({ finding }) => findings[finding] },
  {
    key: 'seen',
    title: 'Seen',
    width: 110,
    cell: ({ seen, citations: [first] }) =>
      first ? (
        <Link to="/runs/$id" params={{ id: first.runId }} search={{ operation: first.operationId }}>
          {plural(seen, 'place')}
        </Link>
      ) : (
        plural(seen, 'place')
      ),
  },
  {
    key: 'change',
    title: 'Change',
    width: 110,
    cell: ({ outcome, change }) =>
      brain !== null && change !== null ? (
        <Link to="/brains/$handle/changes/$id" params={{ handle: brain, id: change }}>
          {outcome}
        </Link>
      ) : (
        outcome
      ),
  },
]

const Cancel = ({ id, completedAt }: Distillation) => {
  const session = useSession()
  const queries = useQueryClient()
  if (completedAt !== null) return null
  return (
    <ConfirmButton
      label="Cancel"
      title="Cancel this distillation?"
      confirm="Cancel it"
      onConfirm={async () => {
        await session.client.distillations.cancel(id)
        await queries.invalidateQueries({ queryKey: [session.organization.id, 'distillations'] })
      }}
    >
      <p>What it staged stays.</p>
    </ConfirmButton>
  )
}

/** A distillation: how far it is, and what it found. */
export const DistillationPage = ({ id }: { id: string }) => {
  const { data, error } = useQuery(distillationQuery(useSession(), id))
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={6} />
  const { distillation, items } = data
  const { brain, state, runs, read, waiting, failureReason } = distillation
  return (
    <div className="page stack">
      <PageHeader
        crumbs={
          <Link to="/evals" search={{ open: 'distillations' }}>
            Distillations
          </Link>
        }
        title={`Distillation into ${brain ?? 'a Brain that is gone'}`}
        badges={<Status state={state} />}
        actions={<Cancel {...distillation} />}
      />
      <p className="muted">
        {toAmount(read)} of {plural(runs, 'run')} read.
      </p>
      {failureReason !== undefined && (
        <Notice tone="danger">
          <p>{failureReason}</p>
        </Notice>
      )}
      {waiting !== undefined && (
        <Notice tone="warning">
          <p>{waiting}</p>
        </Notice>
      )}
      <Panel title="What it found">
        <DataTable label="Items" columns={toColumns(brain)} rows={items} toId={(item) => item.id} empty="Nothing." />
      </Panel>
    </div>
  )
}
