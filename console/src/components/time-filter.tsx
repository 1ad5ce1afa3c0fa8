import '../styles/time-filter.css'
import { isTime, toIso, toLocal } from '../local-time.ts'
import { Select, TextInput } from './field.tsx'

/** A time in the URL: one of the last presets, or from one moment until another. */
export type TimeSearch = { last?: string | undefined; from?: string | undefined; until?: string | undefined }

const minute = 60_000
const lasts = [
  { value: 'hour', name: 'Last hour', minutes: 60 },
  { value: 'day', name: 'Last 24 hours', minutes: 24 * 60 },
  { value: 'week', name: 'Last 7 days', minutes: 7 * 24 * 60 },
  { value: 'month', name: 'Last 30 days', minutes: 30 * 24 * 60 },
] as const

/**
 * The times that a list is asked for. The begin of the last hour is given by whole minutes, so that a list that is drawn again is
 * the same list.
 */
export const toTimeRange = ({ last, from, until }: TimeSearch, now = Date.now()): { from?: string; until?: string } => {
  const preset = lasts.find(({ value }) => value === last)
  if (preset) return { from: new Date((Math.floor(now / minute) - preset.minutes) * minute).toISOString() }
  return {
    ...(isTime(from) && { from: new Date(from).toISOString() }),
    ...(isTime(until) && { until: new Date(until).toISOString() }),
  }
}

type TimeFilterProps = { search: TimeSearch; onChange: (search: TimeSearch) => void }

/** Chooses the time of a list: the last hour, day, week or month, or any two moments. */
export const TimeFilter = ({ search, onChange }: TimeFilterProps) => {
  const isOwn = search.last === 'range' || search.from !== undefined || search.until !== undefined
  const chosen = isOwn ? 'range' : (lasts.find(({ value }) => value === search.last)?.value ?? '')
  const { from, until } = search
  const set = (moments: Pick<TimeSearch, 'from' | 'until'>) => onChange({ last: 'range', from, until, ...moments })
  return (
    <>
      <Select
        label="Time"
        options={[{ value: '', name: 'Any time' }, ...lasts, { value: 'range', name: 'From … until …' }]}
        value={chosen}
        onChange={(last) => onChange({ last: last || undefined, from: undefined, until: undefined })}
      />
      {isOwn && (
        <>
          <TextInput
            label="From"
            type="datetime-local"
            className="moment"
            value={toLocal(search.from)}
            onChange={({ target }) => set({ from: toIso(target.value) })}
          />
          <TextInput
            label="Until"
            type="datetime-local"
            className="moment"
            value={toLocal(search.until)}
            onChange={({ target }) => set({ until: toIso(target.value) })}
          />
        </>
      )}
    </>
  )
}
