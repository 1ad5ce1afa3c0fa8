import type { BrainDetail } from '@noema/contracts/brains.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Checkbox, RadioGroup } from '../../components/choices.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { showToast } from '../../components/toast.ts'
import { changeBrain } from '../../data/brain-settings.ts'
import { useSession } from '../../session/session.tsx'

type Mode = BrainDetail['mode']
type Staged = NonNullable<BrainDetail['reviewRules']['always']>[number]

const modes = [
  { value: 'direct', name: 'direct', hint: 'A write counts at once. The schema still changes by proposals alone.' },
  { value: 'review', name: 'review', hint: 'Every write waits until somebody who may review has decided about it.' },
] as const

const staged = [
  { op: 'record.delete', words: 'Deleting a record' },
  { op: 'document.retire', words: 'Retiring a document' },
  { op: 'statement.retract', words: 'Retracting a statement' },
] as const satisfies readonly { op: Staged; words: string }[]

type Rules = { mode: Mode; always: readonly Staged[]; requireOtherReviewer: boolean }

const readRules = ({ mode, reviewRules }: BrainDetail): Rules => ({
  mode,
  always: reviewRules.always ?? [],
  requireOtherReviewer: reviewRules.requireOtherReviewer ?? false,
})

/** What choosing another mode does to what waits already. */
const Consequence = ({ brain, mode }: { brain: BrainDetail; mode: Mode }) => {
  const { handle, counts } = brain
  if (mode === brain.mode) return null
  if (mode === 'review') return <p className="hint">From now on, writes wait. What is there already stays.</p>
  return (
    <p className="hint">
      From now on, writes count at once.{' '}
      {counts.pendingChanges > 0 && (
        <>
          <Link to="/brains/$handle/changes" params={{ handle }}>
            {counts.pendingChanges === 1 ? 'The change that waits' : `The ${counts.pendingChanges} changes that wait`}
          </Link>{' '}
          still need a decision.
        </>
      )}
    </p>
  )
}

type RulesProps = { rules: Rules; onChange: (rules: Rules) => void }

const AlwaysReviewed = ({ rules, onChange }: RulesProps) => (
  <fieldset className="explained-choices">
    <legend>Waits for review even in direct mode</legend>
    {staged.map(({ op, words }) => (
      <Checkbox
        key={op}
        label={
          <>
            {words} <code className="muted">{op}</code>
          </>
        }
        checked={rules.always.includes(op)}
        onChange={(isOn) =>
          onChange({
            ...rules,
            always: staged.map((one) => one.op).filter((one) => (one === op ? isOn : rules.always.includes(one))),
          })
        }
      />
    ))}
  </fieldset>
)

/** Whether writes count at once or wait, and who may decide about them. */
export const WritingRules = ({ brain }: { brain: BrainDetail }) => {
  const session = useSession()
  const queries = useQueryClient()
  const [changed, setChanged] = useState<Rules>()
  const rules = changed ?? readRules(brain)
  const save = async () => {
    const { mode, always, requireOtherReviewer } = rules
    await changeBrain(queries, session, brain.handle, {
      mode,
      reviewRules: { always: [...always], requireOtherReviewer },
    })
    setChanged(undefined)
    showToast({ tone: 'good', title: 'Saved' })
  }
  return (
    <Panel title="Writing and review">
      <Form submit="Save" onSubmit={save}>
        <RadioGroup
          label="Mode"
          options={modes}
          value={rules.mode}
          onChange={(mode) => setChanged({ ...rules, mode })}
        />
        <Consequence brain={brain} mode={rules.mode} />
        <AlwaysReviewed rules={rules} onChange={setChanged} />
        <fieldset className="explained-choices">
          <legend>Who decides</legend>
          <Checkbox
            label={
              <>
                Somebody else than who wrote it{' '}
                <small>A key counts as the person who minted it, and a run as the person who started it.</small>
              </>
            }
            checked={rules.requireOtherReviewer}
            onChange={(requireOtherReviewer) => setChanged({ ...rules, requireOtherReviewer })}
          />
        </fieldset>
      </Form>
    </Panel>
  )
}
