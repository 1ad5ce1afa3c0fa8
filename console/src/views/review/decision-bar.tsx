import type { MouseEvent, RefObject } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { Kbd } from '../../components/kbd.tsx'
import type { ChangeDetail } from '../../data/changes.ts'
import { MovedActions, News } from './moved-bar.tsx'
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

/** The second click of a double click would decide the next change. */
const onFirst = (act: () => void) => (event: MouseEvent) => {
  if (event.detail < 2) act()
}

/** The decisions about a pending change. */
const Decisions = ({ change, review, onLater }: BarProps & { onLater: () => void }) => (
  <>
    {change.outdated && (
      <Button isBusy={review.isRunning} onClick={() => void review.act('rebase')}>
        Rebase <Kbd keys="b" />
      </Button>
    )}
    <Button
      tone="danger"
      isBusy={review.isRunning}
      disabled={review.ticked.size === 0}
      onClick={onFirst(() => void review.decide('rejected'))}
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
      onClick={onFirst(() => void review.decide('approved'))}
    >
      Approve <Kbd keys="a" />
    </Button>
  </>
)

type DecisionBarProps = BarProps & {
  /** The change as it is now, if someone else decided or rebased it in the meantime. */
  moved: ChangeDetail | undefined
  noteField: RefObject<HTMLInputElement | null>
  note: string
  onNote: (note: string) => void
  onLater: () => void
  onReopen: () => void
  onNext: (() => void) | undefined
}

/** The decision about a pending change, with its effect in words. The note and its focus stay when there is nothing to decide. */
export const DecisionBar = (props: DecisionBarProps) => {
  const { change, review, moved, noteField, note, onNote, onLater, onReopen, onNext } = props
  return (
    <div className="decision-bar">
      <p className="reach" role="status">
        {moved ? <News change={moved} /> : describeReach(change, review.ticked.size)}
      </p>
      {change.decision === 'pending' && (
        <label className="field note">
          <span className="off-screen">Note on the decision</span>
          <input
            ref={noteField}
            value={note}
            placeholder="Note (m)"
            maxLength={2000}
            onChange={({ target }) => onNote(target.value)}
            onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          />
        </label>
      )}
      <div className="actions">
        {moved ? (
          <MovedActions onReopen={onReopen} onNext={onNext} />
        ) : (
          <Decisions change={change} review={review} onLater={onLater} />
        )}
      </div>
    </div>
  )
}

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
