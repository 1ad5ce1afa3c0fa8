import type { ChangeSchemaItem } from '@noema/contracts/changes.ts'
import type { SchemaOperation } from '@noema/contracts/schema.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { describeOperation } from '../../data/schema-words.ts'
import { useSession } from '../../session/session.tsx'

const describeViolations = ({ violations, violationsAtLeast }: ChangeSchemaItem): string | undefined => {
  if (violations === undefined || violations === 0) return undefined
  return `${violationsAtLeast ? 'at least ' : ''}${violations} ${violations === 1 ? 'record does' : 'records do'} not comply`
}

/** The effect of each item of a proposal: whether it makes the schema stricter, and how many records would not comply. */
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

/** The result of a proposal. It waits for review in either mode of the Brain. */
export const ProposedNotice = ({ handle, proposed: { change, items } }: { handle: string; proposed: Proposed }) => (
  <Notice tone="good" title="The proposal waits for review.">
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

/** The collected steps, which are proposed together. */
export const Proposal = ({ handle, baseVersion, steps, onChange }: ProposalProps) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const [proposed, setProposed] = useState<Proposed>()
  const form = useContractForm({
    initial: { reason: '' },
    contract: async () => (await import('@noema/contracts/schema.ts')).evolveSchema.body,
    toBody: ({ reason }) => ({ baseVersion, operations: [...steps], ...(reason !== '' && { reason }) }),
    submit: async (body) => {
      setProposed(await client.brain(handle).schema.evolve(body))
      onChange([])
      form.reset()
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
    },
  })
  return (
    <>
      {proposed && steps.length === 0 && <ProposedNotice handle={handle} proposed={proposed} />}
      {steps.length > 0 && (
        <Panel title={`Proposal of ${steps.length === 1 ? '1 step' : `${steps.length} steps`}`} isFlush>
          <ul className="panel-list">
            {steps.map((step, index) => (
              <li key={describeOperation(step)}>
                <span>{describeOperation(step)}</span>
                <Button
                  size="small"
                  tone="quiet"
                  aria-label={`Remove: ${describeOperation(step)}`}
                  onClick={() => onChange(steps.toSpliced(index, 1))}
                >
                  Remove
                </Button>
              </li>
            ))}
          </ul>
          <Form form={form} submit="Propose" className="proposal-form">
            <form.Text label="Reason" name="reason" isLabelHidden placeholder="Reason, for the reviewer" />
          </Form>
        </Panel>
      )}
    </>
  )
}
