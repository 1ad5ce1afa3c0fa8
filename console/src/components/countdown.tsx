import { useEffect, useState } from 'react'

/** The remaining time: "0:07", "12:30", "3 h 05 min". */
export const toTimeLeft = (milliseconds: number): string => {
  const seconds = Math.ceil(milliseconds / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours} h ${String(minutes).padStart(2, '0')} min`
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`
}

const useNow = (): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  return now
}

type CountdownProps = {
  until: string
  /** The text once the time is over. */
  over: string
}

/** A countdown to a near time, updated every second. Use a `Time` for a distant or past time. */
export const Countdown = ({ until, over }: CountdownProps) => {
  const left = Date.parse(until) - useNow()
  return (
    <time dateTime={until} title={until} className="countdown">
      {left > 0 ? toTimeLeft(left) : over}
    </time>
  )
}
