import { type FormEvent, type RefObject, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput } from '../../components/field.tsx'
import { Kbd } from '../../components/kbd.tsx'
import type { ChangeDetail } from '../../data/changes.ts'
import type { Review } from './use-review.ts'

type BarProps = { change: ChangeDetail; review: Review }

/** What a decision would be about, said before it is made. */
const describeReach = ({ items }: ChangeDetail, ticked: number): string => {
  if (items.length === 1) return 'Decides this change.'
  if (ticked === 0) return 'Nothing is ticked: tick what you decide.'
  if (ticked === items.length) return `Decides all ${items.length} items.`
  const rest = items.length - ticked
  const waits = rest === 1 ? 'The other one becomes' : `The other ${rest} become`
  return `Decides ${ticked} of ${items.length} items. ${waits} a new change that waits for review.`
}

type LaterProps = { isOpen: boolean; onClose: () => void; onApprove: (publish: false | string) => void }

/** Approves now, and publishes at a time or when somebody says so. */
export const LaterDialog = ({ isOpen, onClose, onApprove }: LaterProps) => {
  const [way, setWay] = useState<'time' | 'hold'>('time')
  const [time, setTime] = useState('')
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (way === 'time' && time === '') return
    onApprove(way === 'hold' ? false : new Date(time).toISOString())
    onClose()
  }
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Approve, publish later" size="small">
      <form className="form" onSubmit={send}>
        <RadioGroup
          label="When it is published"
          value={way}
          onChange={setWay}
          options={[
            { value: 'time', name: 'At a time', hint: 'By itself, if nothing stands in its way by then.' },
            { value: 'hold', name: 'When somebody publishes it', hint: 'It stays approved until then.' },
          ]}
        />
        {way === 'time' && (
          <TextInput
            label="Publish at"
            type="datetime-local"
            value={time}
            required
            onChange={({ target }) => setTime(target.value)}
          />
        )}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary">
            Approve
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type DecisionBarProps = BarProps & { noteField: RefObject<HTMLInputElement | null>; onLater: () => void }

/** What is decided about a change that waits: always in reach, with what it would do in words. */
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
        <Button isBusy={review.isRunning} onClick={() => void review.settle('rebase')}>
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

/** What can be done with a change that was decided. */
export const SettledBar = ({ change, review }: BarProps) => {
  const isOpen = change.decision === 'approved' && ['not_applied', 'scheduled', 'blocked'].includes(change.application)
  if (!isOpen && change.application !== 'applied') return null
  const act = (name: Parameters<Review['settle']>[0]) => () => void review.settle(name)
  return (
    <div className="decision-bar">
      <p className="reach">
        {isOpen
          ? 'Approved, but not published.'
          : 'Published. A revert is a new change, which keeps what others wrote since.'}
      </p>
      <div className="actions">
        {isOpen && (
          <>
            <Button isBusy={review.isRunning} onClick={act('cancel')}>
              Cancel it <Kbd keys="c" />
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
