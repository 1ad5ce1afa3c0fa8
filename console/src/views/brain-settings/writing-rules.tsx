import type { BrainDetail } from '@noema/contracts/brains.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Checkbox } from '../../components/choices.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { Panel } from '../../components/panel.tsx'
import { showToast } from '../../components/toast.ts'
import { changeBrain } from '../../data/brain-settings.ts'
import { evalsQuery } from '../../data/evals.ts'
import { useSession } from '../../session/session.tsx'

type Mode = BrainDetail['mode']
type Staged = NonNullable<BrainDetail['reviewRules']['always']>[number]

const modes = [
  { value: 'direct', name: 'direct', hint: 'A write applies at once. The schema still changes by proposals only.' },
  { value: 'review', name: 'review', hint: 'Every write waits until a reviewer decides about it.' },
] as const

const staged = [
  { op: 'record.delete', words: 'Deleting a record' },
  { op: 'document.retire', words: 'Retiring a document' },
  { op: 'statement.retract', words: 'Retracting a statement' },
] as const satisfies readonly { op: Staged; words: string }[]

type Rules = { mode: Mode; always: readonly Staged[]; requireOtherReviewer: boolean; requireEval: string }

const readRules = ({ mode, reviewRules }: BrainDetail): Rules => ({
  mode,
  always: reviewRules.always ?? [],
  requireOtherReviewer: reviewRules.requireOtherReviewer ?? false,
  requireEval: reviewRules.requireEval ?? '',
})

/** The consequence of another mode for pending changes. */
const Consequence = ({ brain, mode }: { brain: BrainDetail; mode: Mode }) => {
  const { handle, counts } = brain
  if (mode === brain.mode) return null
  if (mode === 'review') return <p className="hint">New writes will wait for review. Existing content stays.</p>
  return (
    <p className="hint">
      New writes will apply at once.{' '}
      {counts.pendingChanges > 0 && (
        <>
          <Link to="/brains/$handle/changes" params={{ handle }}>
            {counts.pendingChanges === 1 ? 'The pending change' : `The ${counts.pendingChanges} pending changes`}
          </Link>{' '}
          still {counts.pendingChanges === 1 ? 'needs' : 'need'} a decision.
        </>
      )}
    </p>
  )
}

type AlwaysReviewedProps = { always: readonly Staged[]; onChange: (always: readonly Staged[]) => void }

const AlwaysReviewed = ({ always, onChange }: AlwaysReviewedProps) => (
  <fieldset className="explained-choices">
    <legend>Require review even in direct mode</legend>
    {staged.map(({ op, words }) => (
      <Checkbox
        key={op}
        label={
          <>
            {words} <code className="muted">{op}</code>
          </>
        }
        checked={always.includes(op)}
        onChange={(isOn) =>
          onChange(staged.map((one) => one.op).filter((one) => (one === op ? isOn : always.includes(one))))
        }
      />
    ))}
  </fieldset>
)

/** The evals that a Brain can require: those of this Brain, and the one that it requires now. */
const useEvalOptions = ({ id, reviewRules: { requireEval } }: BrainDetail) => {
  const { data } = useInfiniteQuery(evalsQuery(useSession()))
  const own = (data?.pages ?? [])
    .flatMap(({ evals }) => evals)
    .filter(({ target }) => 'brainId' in target && target.brainId === id)
    .map((one) => ({ value: one.id, name: one.name }))
  const isMissing = typeof requireEval === 'string' && !own.some(({ value }) => value === requireEval)
  const options = [
    { value: '', name: 'None' },
    ...own,
    ...(isMissing ? [{ value: requireEval, name: `${requireEval} (archived or changed)` }] : []),
  ]
  return { options, hasNone: data !== undefined && options.length === 1 }
}

const EvalHint = ({ hasNone }: { hasNone: boolean }) => (
  <>
    It runs for each change that waits, and a change that makes a case fail is not approved.{' '}
    {hasNone && (
      <Link to="/evals" search={{ open: 'new' }}>
        Create an eval of this Brain
      </Link>
    )}
  </>
)

const RulesForm = ({ brain, rules }: { brain: BrainDetail; rules: Rules }) => {
  const session = useSession()
  const queries = useQueryClient()
  const { options, hasNone } = useEvalOptions(brain)
  const form = useContractForm({
    initial: rules,
    contract: async () => (await import('@noema/contracts/brains.ts')).patchBrain.body,
    paths: {
      always: 'reviewRules.always',
      requireOtherReviewer: 'reviewRules.requireOtherReviewer',
      requireEval: 'reviewRules.requireEval',
    },
    toBody: ({ mode, always, requireOtherReviewer, requireEval }) => ({
      mode,
      reviewRules: {
        always: [...always],
        requireOtherReviewer,
        requireEval: requireEval === '' ? null : requireEval,
      },
    }),
    edits: { merged: ['reviewRules'] },
    submit: async (_body, _values, changed) => {
      await changeBrain(queries, session, brain.handle, changed)
      showToast({ tone: 'good', title: 'Saved' })
    },
  })
  return (
    <Form form={form} submit="Save">
      <form.Radio label="Mode" name="mode" options={modes} />
      <Consequence brain={brain} mode={useFormValue(form, 'mode')} />
      <form.Field name="always">{({ value, set }) => <AlwaysReviewed always={value} onChange={set} />}</form.Field>
      <fieldset className="explained-choices">
        <legend>Reviewer</legend>
        <form.Checkbox
          label={
            <>
              Someone other than the author{' '}
              <small>A key counts as the person who minted it, a run as the person who started it.</small>
            </>
          }
          name="requireOtherReviewer"
        />
      </fieldset>
      <form.Select label="Required eval" name="requireEval" options={options} hint={<EvalHint hasNone={hasNone} />} />
    </Form>
  )
}

/** Writes apply at once or wait for review; the rules also say who can decide about them. */
export const WritingRules = ({ brain }: { brain: BrainDetail }) => (
  <Panel title="Writing and review">
    <RulesForm key={brain.handle} brain={brain} rules={readRules(brain)} />
  </Panel>
)
