import { type ReactNode, useMemo } from 'react'
import { Select } from '../../components/field.tsx'
import { type ContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { readCron } from './cron.ts'
import { isTimezone, listNext } from './cron-times.ts'
import { describeCron } from './cron-words.ts'

const usual = [
  { value: '', name: 'Custom' },
  { value: '@hourly', name: 'Every hour' },
  { value: '0 9 * * *', name: 'Every day at 9' },
  { value: '0 9 * * 1-5', name: 'Weekdays at 9' },
  { value: '0 9 * * 1', name: 'Mondays at 9' },
  { value: '0 9 1 * *', name: 'On the first of each month at 9' },
] as const

const shownTimes = 5

/** A local time in a zone: `Mon, 2 Mar 2026, 09:00`. */
const toZoneTime = (time: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23', weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit' },
  }).format(time)

/** An expression in words, or the expression itself if the words cannot express it. */
export const toCronWords = (cron: string): string => {
  const fields = readCron(cron)
  return fields ? describeCron(fields) : cron
}

type PreviewProps = { cron: string; timezone: string }

/** The times of an expression: in words, and the next ones. */
export const CronPreview = ({ cron, timezone }: PreviewProps) => {
  const fields = useMemo(() => readCron(cron), [cron])
  const times = useMemo(
    () => (fields && isTimezone(timezone) ? listNext(fields, { timezone, after: new Date(), count: shownTimes }) : []),
    [fields, timezone],
  )
  if (!fields)
    return (
      <p className="muted">
        The preview reads five fields: minute, hour, day of month, month, day of week, such as 0 9 * * 1-5. The service
        checks other expressions when you save.
      </p>
    )
  return (
    <>
      <p className="cron-words">{describeCron(fields)}</p>
      {times.length === 0 && <p className="muted">This expression never matches.</p>}
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

type CronInputProps = {
  form: Omit<ContractForm<{ cron: string; timezone: string }>, 'reset'>
  /** The choice of the time zone. */
  children: ReactNode
}

/** A cron expression, chosen from common ones or typed, with a preview of its times. */
export const CronInput = ({ form, children }: CronInputProps) => {
  const cron = useFormValue(form, 'cron')
  return (
    <>
      <div className="form-pair">
        <Select
          label="When"
          options={usual}
          value={usual.find(({ value }) => value === cron)?.value ?? ''}
          onChange={(value) => value !== '' && form.set('cron', value)}
        />
        {children}
      </div>
      <form.Text
        label="Cron expression"
        name="cron"
        isMono
        required
        autoComplete="off"
        spellCheck={false}
        hint="Minute, hour, day of month, month, day of week; or @hourly, @daily, @weekly, @monthly, @yearly"
      />
      <section className="cron-preview" aria-label="Next times" aria-live="polite">
        <CronPreview cron={cron} timezone={useFormValue(form, 'timezone')} />
      </section>
    </>
  )
}
