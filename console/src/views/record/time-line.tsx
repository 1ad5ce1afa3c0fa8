import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { recordHistoryQuery } from '../../data/records.ts'
import { useSession } from '../../session/session.tsx'

type TimeLineProps = { handle: string; id: string; asOf: number | undefined; newest: number }

/** How long the slider rests before the page follows it. */
const restMilliseconds = 150

/** Which state of the Brain the page shows: a slider over all of them, with a mark at each version of the record. */
export const TimeLine = ({ handle, id, asOf, newest }: TimeLineProps) => {
  const marks = useId()
  const navigate = useNavigate({ from: '/brains/$handle/records/$id' })
  const history = useInfiniteQuery(recordHistoryQuery(useSession(), handle, id))
  const states = history.data?.pages.flatMap(({ versions }) => versions.map(({ record }) => record.stateVersion)) ?? []
  const [held, setHeld] = useState(asOf ?? newest)
  useEffect(() => setHeld(asOf ?? newest), [asOf, newest])
  const show = (state: number) =>
    void navigate({
      search: (before) => ({ ...before, asOf: state >= newest ? undefined : state }),
      replace: true,
    })
  useEffect(() => {
    if (held === (asOf ?? newest)) return
    const timer = setTimeout(() => show(held), restMilliseconds)
    return () => clearTimeout(timer)
  })
  const earlier = states.filter((state) => state < held).at(0)
  const later = states.filter((state) => state > held).at(-1)
  return (
    <div className="time-line">
      <label htmlFor={`${marks}-slider`}>State</label>
      <button
        type="button"
        className="button small"
        disabled={earlier === undefined}
        onClick={() => earlier !== undefined && show(earlier)}
      >
        Earlier version
      </button>
      <input
        id={`${marks}-slider`}
        type="range"
        min={0}
        max={newest}
        value={held}
        list={marks}
        aria-valuetext={held >= newest ? `${newest}, now` : `${held} of ${newest}`}
        onChange={({ target }) => setHeld(Number(target.value))}
      />
      <datalist id={marks}>
        {[...new Set(states)].map((state) => (
          <option key={state} value={state} />
        ))}
      </datalist>
      <button
        type="button"
        className="button small"
        disabled={later === undefined && asOf === undefined}
        onClick={() => show(later ?? newest)}
      >
        {later === undefined ? 'Now' : 'Later version'}
      </button>
      {!(asOf === undefined && held >= newest) && <output className="muted">{`${held} of ${newest}`}</output>}
    </div>
  )
}
