import { useSyncExternalStore } from 'react'

const units = [
  ['yr.', 31_536_000],
  ['mo.', 2_592_000],
  ['day', 86_400],
  ['hr.', 3_600],
  ['min.', 60],
  ['sec.', 1],
] as const

const toLength = (amount: number, unit: string): string => `${amount} ${unit === 'day' && amount > 1 ? 'days' : unit}`

/** "3 min. ago", "in 2 days", "yesterday", "just now". The browser's own words would load its data of languages first: 80 ms. */
export const relativeTime = (iso: string, now: number): string => {
  const seconds = Math.round((Date.parse(iso) - now) / 1000)
  if (Math.abs(seconds) < 10) return 'just now'
  const [unit, length] = units.find(([, one]) => Math.abs(seconds) >= one) ?? units[5]
  const amount = Math.trunc(Math.abs(seconds) / length)
  if (unit === 'day' && amount === 1) return seconds < 0 ? 'yesterday' : 'tomorrow'
  return seconds < 0 ? `${toLength(amount, unit)} ago` : `in ${toLength(amount, unit)}`
}

const tickMilliseconds = 10_000

// One timer for all times of a page, of which a list has hundreds.
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const one of listeners) one()
  }, tickMilliseconds)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const readTick = () => Math.floor(Date.now() / tickMilliseconds)

/** A relative time, updated while it is shown. The tooltip has the exact time. */
export const Time = ({ iso }: { iso: string }) => {
  useSyncExternalStore(subscribe, readTick)
  return (
    <time dateTime={iso} title={iso}>
      {relativeTime(iso, Date.now())}
    </time>
  )
}
