import type { BrainRecord } from '@noema/contracts/records.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import { recordHistoryQuery } from '../../data/records.ts'
import { useSession } from '../../session/session.tsx'

type TimeLineProps = { handle: string; record: BrainRecord; asOf: number | undefined; newest: number }

/** The pause of the slider before the page follows it. */
const restMilliseconds = 150

/** The slider's position while it is dragged. Only the person changes the state. */
const useHeld = (newest: number) => {
  const navigate = useNavigate({ from: '/brains/$handle/records/$id' })
  const [held, setHeld] = useState<number>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const hold = (state: number) => {
    clearTimeout(timer.current)
    setHeld(state)
  }
  const show = async (state: number) => {
    hold(state)
    await navigate({ search: (before) => ({ ...before, asOf: state >= newest ? undefined : state }), replace: true })
    setHeld((now) => (now === state ? undefined : now))
  }
  const drag = (state: number) => {
    hold(state)
    timer.current = setTimeout(() => void show(state), restMilliseconds)
  }
  return { held, show, drag }
}

/** Which state of the Brain the page shows: a slider over all of them, with a mark at each version of the record. */
export const TimeLine = ({ handle, record, asOf, newest }: TimeLineProps) => {
  const marks = useId()
  const history = useInfiniteQuery(recordHistoryQuery(useSession(), handle, record.id))
  const versions = history.data?.pages.flatMap((page) => page.versions) ?? []
  const states = versions.flatMap((entry) => (entry.record.id === record.id ? entry.record.stateVersion : []))
  // After a save, the record may load before its history. Until then its version is unknown.
  const isBehind = states[0] !== undefined && states[0] < record.stateVersion
  const { held, show, drag } = useHeld(newest)
  const at = held ?? asOf ?? newest
  const shown = states.find((state) => state <= at) ?? at
  const earlier = states.find((state) => state < shown)
  const later = states.findLast((state) => state > at)
  return (
    <div className="time-line">
      <label htmlFor={`${marks}-slider`}>State</label>
      <button
        type="button"
        className="button small"
        disabled={isBehind || earlier === undefined}
        onClick={() => earlier !== undefined && void show(earlier)}
      >
        Earlier version
      </button>
      <input
        id={`${marks}-slider`}
        type="range"
        min={0}
        max={newest}
        value={at}
        list={marks}
        aria-valuetext={at >= newest ? `${newest}, now` : `${at} of ${newest}`}
        onChange={({ target }) => drag(Number(target.value))}
      />
      <datalist id={marks}>
        {[...new Set(states)].map((state) => (
          <option key={state} value={state} />
        ))}
      </datalist>
      <button
        type="button"
        className="button small"
        disabled={isBehind || (later === undefined && asOf === undefined)}
        onClick={() => void show(later ?? newest)}
      >
        {later === undefined ? 'Now' : 'Later version'}
      </button>
      {!(asOf === undefined && at >= newest) && <output className="muted">{`${at} of ${newest}`}</output>}
    </div>
  )
}
