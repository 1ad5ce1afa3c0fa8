import type { RefObject } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { Kbd } from '../../components/kbd.tsx'
import type { ChangeDetail } from '../../data/changes.ts'
import type { Review } from './use-review.ts'

type BarProps = { change: ChangeDetail; review: Review }

/** Describes which items a decision applies to. */
const describeReach = ({ items }: ChangeDetail, ticked: number): string => {
  if (items.length === 1) return 'Decides this change.'
  if (ticked === 0) return 'Nothing selected. Select the items to decide.'
  if (ticked === items.length) return `Decides all ${items.length} items.`
  const rest = items.length - ticked
  const others = rest === 1 ? 'The other one becomes' : `The other ${rest} become`
  return `Decides ${ticked} of ${items.length} items. ${others} a new change that waits for review.`
}

type LaterProps = { isOpen: boolean; onClose: () => void; onApprove: (publish: false | string) => void }

const ways = [
  { value: 'time', name: 'At a time', hint: 'Automatically, unless something blocks it by then.' },
  { value: 'hold', name: 'Manually', hint: 'It stays approved until someone publishes it.' },
] as const

const LaterForm = ({ onClose, onApprove }: Omit<LaterProps, 'isOpen'>) => {
  const form = useContractForm({
    initial: { way: 'time' as 'time' | 'hold', time: '' },
    toBody: ({ way, time }) => (way === 'hold' ? false : new Date(time).toISOString()),
    submit: async (publish) => {
      onApprove(publish)
      onClose()
    },
  })
  return (
    <Form form={form} submit="Approve" onCancel={onClose}>
      <form.Radio label="Publish" name="way" options={ways} />
      {useFormValue(form, 'way') === 'time' && (
        <form.Text label="Publish at" name="time" type="datetime-local" required />
      )}
    </Form>
  )
}

/** Approves now and publishes later: at a time, or manually. */
export const LaterDialog = ({ isOpen, onClose, onApprove }: LaterProps) => (
  <Dialog isOpen={isOpen} onClose={onClose} title="Approve, publish later" size="small">
    <LaterForm onClose={onClose} onApprove={onApprove} />
  </Dialog>
)

type DecisionBarProps = BarProps & { noteField: RefObject<HTMLInputElement | null>; onLater: () => void }

/** The decision about a pending change, with its effect in words. */
export const DecisionBar = ({ change, review, noteField, onLater }: DecisionBarProps) => (
  <div className="decision-bar">
    <p className="reach" role="status">
      {describeReach(change, review.ticked.size)}
    </p>
    <label className="field note">
      <span className="off-screen">Note on the decision</span>
      <input
        ref={noteField}
        value={review.note}
        placeholder="Note (m)"
        maxLength={2000}
        onChange={({ target }) => review.setNote(target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
    </label>
    <div className="actions">
      {change.outdated && (
        <Button isBusy={review.isRunning} onClick={() => void review.act('rebase')}>
          Rebase <Kbd keys="b" />
        </Button>
      )}
      <Button
        tone="danger"
        isBusy={review.isRunning}
        disabled={review.ticked.size === 0}
        onClick={() => void review.decide('rejected')}
      >
        Reject <Kbd keys="r" />
      </Button>
      <Button isBusy={review.isRunning} disabled={review.ticked.size === 0} onClick={onLater}>
        Later… <Kbd keys="l" />
      </Button>
      <Button
        tone="primary"
        isBusy={review.isRunning}
        disabled={review.ticked.size === 0}
        onClick={() => void review.decide('approved')}
      >
        Approve <Kbd keys="a" />
      </Button>
    </div>
  </div>
)

/** The actions for a change that has been decided. */
export const DecidedBar = ({ change, review }: BarProps) => {
  const isOpen = change.decision === 'approved' && ['not_applied', 'scheduled', 'blocked'].includes(change.application)
  if (!isOpen && change.application !== 'applied') return null
  const act = (name: Parameters<Review['act']>[0]) => () => void review.act(name)
  return (
    <div className="decision-bar">
      <p className="reach">
        {isOpen
          ? 'Approved, but not published.'
          : 'Published. A revert is a new change that keeps later writes of others.'}
      </p>
      <div className="actions">
        {isOpen && (
          <>
            <Button isBusy={review.isRunning} onClick={act('cancel')}>
              Cancel <Kbd keys="c" />
            </Button>
            <Button isBusy={review.isRunning} onClick={act('rebase')}>
              Review again <Kbd keys="b" />
            </Button>
            <Button tone="primary" isBusy={review.isRunning} onClick={act('publish')}>
              Publish now <Kbd keys="P" />
            </Button>
          </>
        )}
        {change.application === 'applied' && (
          <Button isBusy={review.isRunning} onClick={act('revert')}>
            Revert <Kbd keys="v" />
          </Button>
        )}
      </div>
    </div>
  )
}
