import '../../styles/review.css'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { decideCode } from '../../code/change-code.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { later } from '../../components/later.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useOpenedVersion } from '../../components/use-opened-version.ts'
import { brainQuery } from '../../data/brains.ts'
import { type ChangeDetail, changeQuery, type QueuedChange } from '../../data/changes.ts'
import { useSession } from '../../session/session.tsx'
import { ChangeComments } from './change-comments.tsx'
import { ChangeHead } from './change-head.tsx'
import { ChangeItemCard } from './change-item.tsx'
import { DecidedBar, DecisionBar, LaterDialog } from './decision-bar.tsx'
import { type Review, type Undo, useReview } from './use-review.ts'
import { type ReviewKeys, useDecisionKeys } from './use-review-keys.ts'

type PanelProps = {
  handle: string
  id: string
  /** The data that the list already has: the names of people. */
  queued?: QueuedChange | undefined
  isOwnPage?: boolean
  onDecided: (undo: Undo | undefined) => void
  /** Opens the change after this one. */
  onNext?: (() => void) | undefined
}

/** True if the Brain requires another reviewer than the signed-in person. */
const useSelfReview = (handle: string, change: ChangeDetail): boolean => {
  const session = useSession()
  const { data } = useQuery(brainQuery(session, handle))
  const { stagedByActor } = change
  const isMine = [stagedByActor?.userId, stagedByActor?.id].includes(session.userId)
  return isMine && data?.brain.reviewRules?.requireOtherReviewer === true
}

type Tools = { change: ChangeDetail; review: Review; mayDecide: boolean; focusNote: () => void; openLater: () => void }

const toKeys = ({ change, review, mayDecide, focusNote, openLater }: Tools): ReviewKeys => {
  const isPending = change.decision === 'pending'
  const isApproved =
    change.decision === 'approved' && ['not_applied', 'scheduled', 'blocked'].includes(change.application)
  const act = (act: Parameters<Review['act']>[0]) => () => void review.act(act)
  if (review.isRunning) return {}
  const item = change.items[review.active]
  const moving = { n: () => review.move(1), p: () => review.move(-1) }
  if (isPending && mayDecide)
    return {
      ...moving,
      a: () => void review.decide('approved'),
      r: () => void review.decide('rejected'),
      l: review.ticked.size > 0 ? openLater : undefined,
      m: focusNote,
      e: review.editActive,
      x: item && change.items.length > 1 ? () => review.toggle(item.item) : undefined,
      t: review.tickAll,
      b: change.outdated ? act('rebase') : undefined,
    }
  return {
    ...moving,
    ...(isApproved && { P: act('publish'), c: act('cancel'), b: act('rebase') }),
    ...(change.application === 'applied' && { v: act('revert') }),
  }
}

type ReviewProps = PanelProps & {
  change: ChangeDetail
  /** The change as it is now: its comments come and go on while a person works on it. */
  live: ChangeDetail
  /** The change as it is now, if it is no longer as it was opened. */
  moved: ChangeDetail | undefined
  note: string
  onNote: (note: string) => void
  onReopen: () => void
}

type BarProps = ReviewProps & {
  review: Review
  noteField: RefObject<HTMLInputElement | null>
  isSelf: boolean
  onLater: () => void
}

/** The decision about the change, or the reason why there is none. */
const Bar = ({ isSelf, ...props }: BarProps) => {
  const { change, moved, review, onNext } = props
  const isPending = change.decision === 'pending'
  if (isPending && isSelf && !moved)
    return (
      <Notice tone="warning" title="Another person must decide this">
        <p>You proposed this change, and this Brain requires another reviewer (requireOtherReviewer).</p>
      </Notice>
    )
  if (isPending || moved) return <DecisionBar {...props} onNext={onNext} />
  return <DecidedBar change={change} review={review} />
}

const ChangePreview = later(async () => (await import('./change-preview.tsx')).ChangePreview)

const RequiredEval = later(async () => (await import('./required-eval.tsx')).RequiredEval)
const EvalOverride = later(async () => (await import('./required-eval.tsx')).EvalOverride)

/** Questions before and after the change, loaded when they are opened. */
const PreviewPart = ({ handle, id }: { handle: string; id: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="change-preview-part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Preview: compare answers with and without this change</summary>
      {isOpen && <ChangePreview handle={handle} id={id} meanwhile={<Skeleton lines={3} />} />}
    </details>
  )
}

const ChangeReview = (props: ReviewProps) => {
  const { handle, change, live, moved, note, queued, isOwnPage = false, onDecided, onReopen } = props
  const review = useReview({ handle, change, note, isMoved: moved !== undefined, onDecided, onActed: onReopen })
  const panel = useRef<HTMLDivElement>(null)
  const noteField = useRef<HTMLInputElement>(null)
  const [isLater, setLater] = useState(false)
  const isSelf = useSelfReview(handle, change)
  const openLater = () => setLater(true)
  const tools = { mayDecide: !isSelf, focusNote: () => noteField.current?.focus(), openLater }
  const keys = moved ? {} : toKeys({ change, review, ...tools })
  useDecisionKeys(keys, { panel, version: `${toVersion(change)} ${change.application}` })
  return (
    <>
      <ChangeHead handle={handle} change={change} queued={queued} isOwnPage={isOwnPage} />
      <div className="change-items" ref={panel}>
        {change.items.map((item, index) => (
          <ChangeItemCard key={item.item} handle={handle} change={change} item={item} index={index} review={review} />
        ))}
      </div>
      {live.eval && change.decision === 'pending' && (
        <RequiredEval handle={handle} id={change.id} review={review} mayDecide={!isSelf && !moved} />
      )}
      {change.eval?.override && <EvalOverride {...change.eval.override} />}
      {change.decision === 'pending' && <PreviewPart handle={handle} id={change.id} />}
      <ChangeComments handle={handle} change={live} />
      <ViewAsCode
        example={decideCode({ baseUrl, handle }, { id: change.id, items: [...review.ticked], of: change.items.length })}
      />
      <FailureNotice error={review.error} />
      <Bar {...props} {...{ review, noteField, isSelf }} onLater={openLater} />
      <LaterDialog
        isOpen={isLater}
        onClose={() => setLater(false)}
        onApprove={(publish) => void review.decide('approved', publish)}
      />
    </>
  )
}

/** Another decision or another base of its items needs a new look at the change. */
const toVersion = ({ id, decision, baseStateVersion }: ChangeDetail) => `${id} ${baseStateVersion} ${decision}`

/** The change as it was opened: it does not move while a person works on it, whatever others do. */
const OpenedChange = ({ live, ...props }: PanelProps & { live: ChangeDetail }) => {
  const { opened, isMoved, reopen } = useOpenedVersion(live, toVersion)
  const [note, setNote] = useState('')
  return (
    <ChangeReview
      key={toVersion(opened)}
      {...props}
      change={opened}
      live={live}
      moved={isMoved ? live : undefined}
      note={note}
      onNote={setNote}
      onReopen={reopen}
    />
  )
}

/** One change: its effect, and the decision about it. */
export const ChangePanel = (props: PanelProps) => {
  const { handle, id } = props
  const { data, error, refetch } = useQuery(changeQuery(useSession(), handle, id))
  if (error && !data) return <FailureNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={8} />
  return <OpenedChange {...props} live={data.change} />
}
