import '../../styles/review.css'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Select } from '../../components/field.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { changeQuery, changesQuery, type QueuedChange } from '../../data/changes.ts'
import type { Shown } from '../../data/shown-changes.ts'
import { useSession } from '../../session/session.tsx'
import { ChangePanel } from './change-panel.tsx'
import { Queue } from './queue.tsx'
import type { Undo } from './use-review.ts'
import { useReviewKeys } from './use-review-keys.ts'

type ReviewLocation = { shown: Shown; change?: string | undefined; brain?: string | undefined }

type BoardProps = {
  location: ReviewLocation
  /** The Brain whose changes are listed; all Brains by default. */
  only?: string | undefined
  onLocation: (location: ReviewLocation, options?: { replace: boolean }) => void
}

const shownNames: readonly { value: Shown; name: string }[] = [
  { value: 'waiting', name: 'Waiting' },
  { value: 'approved', name: 'Approved, not published' },
  { value: 'scheduled', name: 'Scheduled' },
  { value: 'blocked', name: 'Blocked' },
  { value: 'rejected', name: 'Rejected' },
  { value: 'published', name: 'Published' },
  { value: 'all', name: 'All' },
]

const keyHints = [
  ['j k', 'change'],
  ['n p', 'item'],
  ['x', 'select'],
  ['a', 'approve'],
  ['r', 'reject'],
  ['e', 'edit'],
  ['m', 'note'],
  ['u', 'undo'],
] as const

const KeyHints = () => (
  <p className="key-hints">
    {keyHints.map(([keys, name]) => (
      <span key={keys}>
        <Kbd keys={keys} /> {name}
      </span>
    ))}
  </p>
)

/** Preloads the change that the reviewer is likely to open next. */
const usePrefetch = (next: QueuedChange | undefined) => {
  const queries = useQueryClient()
  const session = useSession()
  const { id, brain } = next ?? {}
  const handle = brain?.handle
  useEffect(() => {
    if (id !== undefined && handle !== undefined) void queries.prefetchQuery(changeQuery(session, handle, id))
  }, [queries, session, id, handle])
}

const EmptyQueue = ({ shown }: { shown: Shown }) =>
  shown === 'waiting' ? (
    <Empty title="Nothing to review">
      Writes to Brains in review mode appear here, and proposals by agents, packs and schemas.
    </Empty>
  ) : (
    <Empty title="No matching changes" />
  )

const toName = ({ brain, id }: QueuedChange) => `${brain.handle} ${id}`

type Kept = { shown: Shown; change: QueuedChange; order: readonly string[] }

/**
 * The open change: the one in the URL, or the first of the list. It stays open while others arrive before it, and when it leaves
 * the list because someone else decided it: a decision must apply to the change that the reviewer sees.
 */
const useOpened = (changes: readonly QueuedChange[], { shown, change, brain }: ReviewLocation) => {
  const kept = useRef<Kept>(undefined)
  if (kept.current?.shown !== shown) kept.current = undefined
  const name = change === undefined ? kept.current && toName(kept.current.change) : `${brain} ${change}`
  const found = changes.findIndex((one) => toName(one) === name)
  const index = name === undefined ? 0 : found
  const listed = changes[index]
  if (listed) kept.current = { shown, change: listed, order: changes.map(toName) }
  const last = kept.current && toName(kept.current.change) === name ? kept.current : undefined
  // A change that left the list: the one that came after it is next.
  const after = new Set(last?.order.slice(last.order.indexOf(name ?? '') + 1))
  const next = listed ? changes[index + 1] : last ? changes.find((one) => after.has(toName(one))) : changes[0]
  const previous = listed ? changes[index - 1] : changes.findLast((one) => !after.has(toName(one)))
  const queued = listed ?? last?.change
  const opened =
    change !== undefined && brain !== undefined
      ? { id: change, handle: brain }
      : queued && { id: queued.id, handle: queued.brain.handle }
  return {
    queued,
    opened,
    next,
    previous,
    hasLeft: !listed && last !== undefined,
    leave: () => (kept.current = undefined),
  }
}

/** Reads a change again that has left the list: the panel says who decided it. */
const useDeparture = (opened: { id: string; handle: string } | undefined, hasLeft: boolean) => {
  const queries = useQueryClient()
  const session = useSession()
  const { id, handle } = opened ?? {}
  useEffect(() => {
    if (hasLeft && id !== undefined && handle !== undefined)
      void queries.invalidateQueries(changeQuery(session, handle, id))
  }, [queries, session, hasLeft, id, handle])
}

/** The actions of the board: it opens one change after the other, by keys and after decisions. */
const useBoard = ({ location, only, onLocation }: BoardProps) => {
  const query = useInfiniteQuery(changesQuery(useSession(), { shown: location.shown, brain: only }))
  const changes = query.data?.pages.flatMap((page) => page.changes) ?? []
  const { queued, opened, next, previous, hasLeft, leave } = useOpened(changes, location)
  const undo = useRef<Undo>(undefined)
  const open = (change: QueuedChange | undefined, replace = true) => {
    if (!change) leave()
    onLocation({ shown: location.shown, change: change?.id, brain: change?.brain.handle }, { replace })
  }
  const following = next ?? previous
  usePrefetch(following)
  useDeparture(opened, hasLeft)
  const isOpen = location.change !== undefined
  useReviewKeys({
    j: next && (() => open(next)),
    k: previous && (() => open(previous)),
    Enter: hasLeft ? following && (() => open(following)) : isOpen ? undefined : queued && (() => open(queued, false)),
  })
  const undoLast = () => {
    void undo.current?.run()
    undo.current = undefined
  }
  useReviewKeys({ u: undoLast }, ({ repeat }) => !repeat)
  const decided = (taken: Undo | undefined) => {
    undo.current = taken
    open(following)
  }
  const onNext = following && (() => open(following))
  return { query, changes, queued, opened, open, onNext, decided }
}

/** A list of changes, with the open one next to it. Every action has a key; a decision opens the next change. */
export const ReviewBoard = (props: BoardProps) => {
  const { location, only, onLocation } = props
  const { query, changes, queued, opened, open, onNext, decided } = useBoard(props)
  if (query.error && !query.data) return <FailureNotice error={query.error} onRetry={() => void query.refetch()} />
  return (
    <div className="review-board" data-open={location.change !== undefined || undefined}>
      <div className="review-list">
        <Select
          label="Show"
          isLabelHidden
          options={shownNames}
          value={location.shown}
          onChange={(shown) => onLocation({ shown })}
        />
        {!query.data && <Skeleton lines={9} />}
        {query.data && changes.length === 0 && <EmptyQueue shown={location.shown} />}
        {changes.length > 0 && (
          <Queue
            changes={changes}
            openId={opened?.id}
            showsBrain={only === undefined}
            showsStatus={location.shown !== 'waiting'}
            onOpen={(change) => open(change, false)}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
          />
        )}
        <KeyHints />
      </div>
      {opened && (
        <div className="review-detail">
          <div className="review-back">
            <Button tone="quiet" size="small" icon="back" onClick={() => onLocation({ shown: location.shown })}>
              All changes
            </Button>
          </div>
          <ChangePanel
            key={`${opened.handle} ${opened.id}`}
            handle={opened.handle}
            id={opened.id}
            queued={queued}
            onDecided={decided}
            onNext={onNext}
          />
        </div>
      )}
    </div>
  )
}
