import { useEffect, useState } from 'react'

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

/** A relative time, updated while it is shown. The tooltip has the exact time. */
export const Time = ({ iso }: { iso: string }) => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={iso} title={iso}>
      {relativeTime(iso, Math.max(now, Date.now() - 10_000))}
    </time>
  )
}
