import type { ChangeEval } from '@noema/contracts/change-evals.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from '../../address.tsx'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { changeQuery } from '../../data/changes.ts'
import { ActorName } from '../../items/actor-name.tsx'
import { useSession } from '../../session/session.tsx'
import type { Review } from './use-review.ts'

// The eval that a Brain requires of its changes: what it says about this one, and a person's way around it.

const pollMilliseconds = 2_000

const tones: Record<ChangeEval['state'], Tone> = {
  pending: 'info',
  passed: 'good',
  failed: 'danger',
  stale: 'warning',
  unavailable: 'warning',
}

const words: Record<ChangeEval['state'], string> = {
  pending: 'The eval is running.',
  passed: 'No case fails that passes without this change.',
  failed: 'Cases fail that pass without this change.',
  stale: 'Items of this change were written to since the eval was run.',
  unavailable: 'The eval cannot be run.',
}

const Cases = ({ title, cases }: { title: string; cases: ChangeEval['broken'] }) =>
  cases && cases.count > 0 ? (
    <p>
      {title} <strong>{cases.ids.join(', ')}</strong>
      {cases.count > cases.ids.length && ` and ${cases.count - cases.ids.length} more`}
    </p>
  ) : null

const OverrideForm = ({ review, onClose }: { review: Review; onClose: () => void }) => {
  const form = useContractForm({
    initial: { reason: '' },
    toBody: ({ reason }) => ({ reason: reason.trim() }),
    submit: async (overrideEval) => {
      await review.decide('approved', true, overrideEval)
      onClose()
    },
  })
  return (
    <Form form={form} submit="Approve without the eval" onCancel={onClose}>
      <form.TextArea label="Reason" name="reason" rows={3} required />
    </Form>
  )
}

type Props = { handle: string; id: string; review: Review; mayDecide: boolean }

/** The result of the required eval for a pending change. */
export const RequiredEval = ({ handle, id, review, mayDecide }: Props) => {
  const session = useSession()
  const queries = useQueryClient()
  const [isOverriding, setOverriding] = useState(false)
  const query = changeQuery(session, handle, id)
  const { data } = useQuery({
    ...query,
    refetchInterval: ({ state }) => (state.data?.change.eval?.state === 'pending' ? pollMilliseconds : false),
  })
  const found = data?.change.eval
  const evalId = found?.evalId ?? ''
  const again = useAction(async () => {
    await session.client.brain(handle).changes.preview(id, { eval: evalId })
    await queries.invalidateQueries({ queryKey: query.queryKey })
  })
  if (!found || data?.change.decision !== 'pending') return null
  const { state, reason, cases, before, after, broken, mended, completedAt } = found
  const mayRun = state === 'stale' || state === 'unavailable' || (state === 'pending' && reason !== undefined)
  return (
    <Panel
      title="Required eval"
      actions={
        <>
          <Badge tone={tones[state]}>{state}</Badge>
          <Link to={`/evals?open=${encodeURIComponent(evalId)}`}>Open the eval</Link>
        </>
      }
    >
      <p role="status">
        {words[state]} {reason}
      </p>
      {before && after && (
        <p className="muted">
          {before.passed} of {cases} cases pass without the change, {after.passed} with it.{' '}
          {completedAt && <Time iso={completedAt} />}
        </p>
      )}
      <Cases title="Now failing:" cases={broken} />
      <Cases title="Now passing:" cases={mended} />
      <FailureNotice error={again.error} />
      <div className="actions">
        {mayRun && (
          <Button isBusy={again.isRunning} onClick={() => void again.run()}>
            Run it again
          </Button>
        )}
        {state !== 'passed' && mayDecide && <Button onClick={() => setOverriding(true)}>Approve anyway…</Button>}
      </div>
      <Dialog isOpen={isOverriding} title="Approve without the eval" onClose={() => setOverriding(false)}>
        <p>Your reason stays with the change and in the audit log.</p>
        <OverrideForm review={review} onClose={() => setOverriding(false)} />
      </Dialog>
    </Panel>
  )
}

/** The person who approved a change although the required eval had not passed. */
export const EvalOverride = ({ by, reason, at }: NonNullable<ChangeEval['override']>) => (
  <p className="change-note">
    Approved without the required eval by <ActorName actor={by} /> <Time iso={at} />: “{reason}”
  </p>
)
