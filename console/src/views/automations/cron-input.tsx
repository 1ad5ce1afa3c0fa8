import { type ReactNode, useMemo } from 'react'
import { Select, TextInput } from '../../components/field.tsx'
import { readCron } from './cron.ts'
import { isTimezone, listNext } from './cron-times.ts'
import { describeCron } from './cron-words.ts'

const usual = [
  { value: '', name: 'Of your own' },
  { value: '@hourly', name: 'Every hour' },
  { value: '0 9 * * *', name: 'Every day at 9' },
  { value: '0 9 * * 1-5', name: 'Weekdays at 9' },
  { value: '0 9 * * 1', name: 'Mondays at 9' },
  { value: '0 9 1 * *', name: 'The first of each month at 9' },
] as const

const shownTimes = 5

/** A time as a clock in a zone shows it: `Mon, 2 Mar 2026, 09:00`. */
const toZoneTime = (time: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23', weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit' },
  }).format(time)

/** An expression in words, or itself where it says more than words are known for. */
export const toCronWords = (cron: string): string => {
  const fields = readCron(cron)
  return fields ? describeCron(fields) : cron
}

type PreviewProps = { cron: string; timezone: string }

/** When an expression comes, in words and by its next times. */
export const CronPreview = ({ cron, timezone }: PreviewProps) => {
  const fields = useMemo(() => readCron(cron), [cron])
  const times = useMemo(
    () => (fields && isTimezone(timezone) ? listNext(fields, { timezone, after: new Date(), count: shownTimes }) : []),
    [fields, timezone],
  )
  if (!fields)
    return (
      <p className="muted">
        Five fields are read here: minute, hour, day of month, month, day of week, such as 0 9 * * 1-5. What else the
        service takes is told once it is kept.
      </p>
    )
  return (
    <>
      <p className="cron-words">{describeCron(fields)}</p>
      {times.length === 0 && <p className="muted">This time never comes.</p>}
      <ol className="cron-times" aria-label="Next times">
        {times.map((time) => (
          <li key={time.getTime()}>
            <time dateTime={time.toISOString()} title={time.toISOString()}>
              {toZoneTime(time, timezone)}
            </time>
          </li>
        ))}
      </ol>
    </>
  )
}

type CronInputProps = PreviewProps & {
  onChange: (cron: string) => void
  /** The choice of the time zone. */
  children: ReactNode
}

/** A cron expression, of the usual ones or typed, with what it comes to in the zone. */
export const CronInput = ({ cron, timezone, onChange, children }: CronInputProps) => (
  <>
    <div className="form-pair">
      <Select
        label="When"
        options={usual}
        value={usual.find(({ value }) => value === cron)?.value ?? ''}
        onChange={(value) => value !== '' && onChange(value)}
      />
      {children}
    </div>
    <TextInput
      label="Cron expression"
      isMono
      required
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      hint="Minute, hour, day of month, month, day of week; or @hourly, @daily, @weekly, @monthly, @yearly"
      value={cron}
      onChange={({ target }) => onChange(target.value)}
    />
    <section className="cron-preview" aria-label="When it comes" aria-live="polite">
      <CronPreview cron={cron} timezone={timezone} />
    </section>
  </>
)
