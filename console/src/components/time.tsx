import { useSyncExternalStore } from 'react'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

/** "3 min. ago", "in 2 days", "just now". */
const relativeTime = (iso: string, now: number): string => {
  const seconds = Math.round((Date.parse(iso) - now) / 1000)
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return words.format(Math.trunc(seconds / length), unit)
  }
  return Math.abs(seconds) < 10 ? 'just now' : words.format(seconds, 'second')
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
