import '../../styles/runs.css'
import type { Distillation, DistilledItem } from '@noema/contracts/distillations.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge, Status } from '../../components/badge.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { distillationQuery } from '../../data/distillations.ts'
import { plural, toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const findings = {
  tool_sequence: 'a sequence of tools',
  tool_failure: 'a tool that fails',
  no_evidence: 'a question without evidence',
  correction: 'a correction',
}

const Places = ({ item: { seen, citations } }: { item: DistilledItem }) => {
  const [first] = citations
  const places = `seen in ${plural(seen, 'place')}`
  if (!first) return <span className="muted">{places}</span>
  return (
    <Link to="/runs/$id" params={{ id: first.runId }} search={{ operation: first.operationId }}>
      {places}
    </Link>
  )
}

/** An item: how it was found, and the change that proposes it. */
const Item = ({ brain, item }: { brain: string | null; item: DistilledItem }) => {
  const { type, finding, outcome, change, summary, note, flags } = item
  return (
    <li className="eval-result">
      <div className="eval-result-head">
        <Badge>{type}</Badge>
        {brain !== null && change !== null ? (
          <Link to="/brains/$handle/changes/$id" params={{ handle: brain, id: change }}>
            {outcome}
          </Link>
        ) : (
          <span>{outcome}</span>
        )}
        <span className="muted">found by {findings[finding]}</span>
        <Places item={item} />
        {flags.includes('instructions') && <Badge tone="warning">tries to instruct</Badge>}
        {flags.includes('hidden_characters') && <Badge tone="warning">hidden characters</Badge>}
      </div>
      <p className="eval-input">{summary}</p>
      {note !== undefined && <p className="eval-reason muted">{note}</p>}
    </li>
  )
}

const Items = ({ brain, items }: { brain: string | null; items: readonly DistilledItem[] }) => (
  <ul className="eval-results" aria-label="Items">
    {items.map((item) => (
      <Item key={`${item.type} ${item.id}`} brain={brain} item={item} />
    ))}
  </ul>
)

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
  const { brain, state, runs, read, waiting, failureReason, completedAt } = distillation
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
        {items.length === 0 && <p className="muted">{completedAt === null ? 'Nothing yet.' : 'Nothing.'}</p>}
        <Items brain={brain} items={items} />
      </Panel>
    </div>
  )
}
