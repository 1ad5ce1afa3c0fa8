import type { NotificationSettings } from '@noema/contracts/notifications.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Switch } from '../../components/choices.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Select } from '../../components/field.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { changeNotificationSettings, notificationSettingsQuery } from '../../data/notifications.ts'
import { useSession } from '../../session/session.tsx'
import { readTimeZone } from '../../time-zone.ts'

const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  name: `${String(hour).padStart(2, '0')}:00`,
}))

const listZones = (chosen: string) =>
  [...new Set(['UTC', chosen, ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({ value: zone, name: zone }))

type TimesProps = { settings: NotificationSettings; change: (given: Partial<NotificationSettings>) => void }

const Times = ({ settings: { hour, timezone }, change }: TimesProps) => (
  <div className="mail-times">
    <Select label="At" options={hours} value={String(hour)} onChange={(value) => change({ hour: Number(value) })} />
    <Combobox
      label="Time zone"
      items={listZones(timezone)}
      value={timezone}
      onChange={(value) => value !== undefined && change({ timezone: value })}
    />
  </div>
)

/** The daily email of this organization: on or off, and its time. Changes apply at once. */
export const DailyMail = () => {
  const session = useSession()
  const queries = useQueryClient()
  const query = notificationSettingsQuery(session)
  const { data, error, refetch } = useQuery(query)
  const changing = useMutation({
    mutationFn: (given: Partial<NotificationSettings>) => changeNotificationSettings(session, given),
    onSuccess: (settings) => queries.setQueryData(query.queryKey, settings),
  })
  // The first subscription uses the time zone of this browser.
  const turn = (mail: boolean) =>
    changing.mutate({ mail, ...(mail && data?.timezone === 'UTC' && { timezone: readTimeZone() }) })
  return (
    <Panel title="Daily email">
      {!data && !error && <Skeleton lines={2} />}
      {!data && error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {data && (
        <Switch
          label={`Email ${session.user.email} when there is news`}
          hint="At most once a day for this organization. The email has counts only, no names."
          checked={data.mail}
          onChange={turn}
        />
      )}
      {changing.error && <FailureNotice error={changing.error} />}
      {data?.mail && <Times settings={data} change={(given) => changing.mutate(given)} />}
    </Panel>
  )
}
