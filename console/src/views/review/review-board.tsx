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

/**
 * The open change: the one in the URL, or the first of the list. It stays open while others arrive before it, because a decision
 * must apply to the change that the reviewer sees.
 */
const useOpened = (changes: readonly QueuedChange[], { shown, change, brain }: ReviewLocation) => {
  const first = useRef<{ shown: Shown; name: string }>(undefined)
  const toName = (one: QueuedChange) => `${one.brain.handle} ${one.id}`
  const findNamed = (name: string) => changes.findIndex((one) => toName(one) === name)
  const kept = first.current?.shown === shown ? findNamed(first.current.name) : -1
  const index = change === undefined ? Math.max(0, kept) : findNamed(`${brain} ${change}`)
  const listed = changes[index]
  first.current = change === undefined && listed ? { shown, name: toName(listed) } : undefined
  const opened =
    change !== undefined && brain !== undefined
      ? { id: change, handle: brain }
      : listed && { id: listed.id, handle: listed.brain.handle }
  return { index, listed, opened }
}

/** The actions of the board: it opens one change after the other, by keys and after decisions. */
const useBoard = ({ location, only, onLocation }: BoardProps) => {
  const query = useInfiniteQuery(changesQuery(useSession(), { shown: location.shown, brain: only }))
  const changes = query.data?.pages.flatMap((page) => page.changes) ?? []
  const { index, listed, opened } = useOpened(changes, location)
  const undo = useRef<Undo>(undefined)
  const open = (change: QueuedChange | undefined, replace = true) =>
    onLocation({ shown: location.shown, change: change?.id, brain: change?.brain.handle }, { replace })
  const next = changes[index + 1] ?? changes[index - 1]
  usePrefetch(next)
  useReviewKeys({
    j: () => changes[index + 1] && open(changes[index + 1]),
    k: () => changes[index - 1] && open(changes[index - 1]),
    u: () => {
      void undo.current?.run()
      undo.current = undefined
    },
  })
  const decided = (taken: Undo | undefined) => {
    undo.current = taken
    open(next)
  }
  return { query, changes, listed, opened, open, decided }
}

/** A list of changes, with the open one next to it. Every action has a key; a decision opens the next change. */
export const ReviewBoard = (props: BoardProps) => {
  const { location, only, onLocation } = props
  const { query, changes, listed, opened, open, decided } = useBoard(props)
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
            queued={listed}
            onDecided={decided}
          />
        </div>
      )}
    </div>
  )
}
