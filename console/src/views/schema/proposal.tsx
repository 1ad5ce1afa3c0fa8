import type { ChangeSchemaItem } from '@noema/contracts/changes.ts'
import type { SchemaOperation } from '@noema/contracts/schema.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { TextInput } from '../../components/field.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { describeOperation } from '../../data/schema-words.ts'
import { useSession } from '../../session/session.tsx'

const describeViolations = ({ violations, violationsAtLeast }: ChangeSchemaItem): string | undefined => {
  if (violations === undefined || violations === 0) return undefined
  return `${violationsAtLeast ? 'at least ' : ''}${violations} ${violations === 1 ? 'record does' : 'records do'} not comply`
}

/** What each item of a proposal does: whether something becomes forbidden, and how many records would not comply. */
const ProposedItems = ({ items }: { items: readonly ChangeSchemaItem[] }) => (
  <ul className="panel-list">
    {items.map((item) => (
      <li key={item.item}>
        <span>
          {item.op} <code>{item.target.id}</code>
        </span>
        <span>
          <Badge tone={item.tag === 'strengthening' ? 'warning' : 'neutral'}>
            {item.tag === 'strengthening' ? 'strengthens' : 'weakens'}
          </Badge>{' '}
          <span className="muted">{describeViolations(item)}</span>
        </span>
      </li>
    ))}
  </ul>
)

type Proposed = { change: { id: string }; items: readonly ChangeSchemaItem[] }

/** What a proposal came to: it waits, whatever the mode of the Brain is. */
export const ProposedNotice = ({ handle, proposed: { change, items } }: { handle: string; proposed: Proposed }) => (
  <Notice tone="good" title="It waits for a decision.">
    <ProposedItems items={items} />
    <p>
      <Link to="/brains/$handle/changes/$id" params={{ handle, id: change.id }}>
        Review the proposal
      </Link>
    </p>
  </Notice>
)

type ProposalProps = {
  handle: string
  baseVersion: number
  steps: readonly SchemaOperation[]
  onChange: (steps: SchemaOperation[]) => void
}

/** The steps that were gathered, and how they are proposed together. */
export const Proposal = ({ handle, baseVersion, steps, onChange }: ProposalProps) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const [reason, setReason] = useState('')
  const proposing = useMutation({
    mutationFn: () =>
      client.brain(handle).schema.evolve({ baseVersion, operations: [...steps], ...(reason !== '' && { reason }) }),
    onSuccess: async () => {
      onChange([])
      setReason('')
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
    },
  })
  const propose = (event: FormEvent) => {
    event.preventDefault()
    proposing.mutate()
  }
  return (
    <>
      {proposing.data && steps.length === 0 && <ProposedNotice handle={handle} proposed={proposing.data} />}
      {steps.length > 0 && (
        <Panel title={`Proposal of ${steps.length === 1 ? '1 step' : `${steps.length} steps`}`} isFlush>
          <ul className="panel-list">
            {steps.map((step, index) => (
              <li key={describeOperation(step)}>
                <span>{describeOperation(step)}</span>
                <Button
                  size="small"
                  tone="quiet"
                  aria-label={`Leave out: ${describeOperation(step)}`}
                  onClick={() => onChange(steps.toSpliced(index, 1))}
                >
                  Leave out
                </Button>
              </li>
            ))}
          </ul>
          <FailureNotice error={proposing.error} />
          <form className="proposal-form" onSubmit={propose}>
            <TextInput
              label="Reason"
              isLabelHidden
              placeholder="Why, for whoever decides"
              value={reason}
              maxLength={2000}
              onChange={({ target }) => setReason(target.value)}
            />
            <Button type="submit" tone="primary" isBusy={proposing.isPending}>
              Propose
            </Button>
          </form>
        </Panel>
      )}
    </>
  )
}
