import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { NotificationSettings, patchNotificationSettings } from '@noema/contracts/notifications.ts'
import { conflict, invalidArgument, notFound } from '../../../shared/errors.ts'
import { findNext } from '../../agents/schedules/cron.ts'
import { isTimezone } from '../../agents/schedules/local-time.ts'
import { holdReader, selectSettings, updateSettings } from './queries.ts'
import type { StateDeps } from './states.ts'

type Person = { organizationId: string; userId: string }

const defaults: NotificationSettings = { mail: false, hour: 8, timezone: 'UTC' }

/** Reads the settings of a person in an organization. */
export const readSettings = async ({ db }: StateDeps, person: Person): Promise<NotificationSettings> =>
  (await selectSettings(db, person)) ?? defaults

/** When a person's next mail is due after a time. */
export const findNextMail = ({ hour, timezone }: NotificationSettings, after: Date): Date | null =>
  findNext(`0 ${hour} * * *`, timezone, after) ?? null

/** Changes what a person has set in an organization. Mail goes to addresses alone that were shown to be theirs. */
export const changeSettings = (
  deps: StateDeps,
  person: Person & { emailVerified: boolean },
  given: BodyOutput<typeof patchNotificationSettings>,
): Promise<NotificationSettings> => {
  if (given.timezone !== undefined && !isTimezone(given.timezone))
    throw invalidArgument(['timezone'], 'There is no such time zone. Give its IANA name, such as Europe/Berlin or UTC.')
  if (given.mail === true && !person.emailVerified)
    throw conflict('Confirm your address first: mail is sent to confirmed addresses alone.', {
      code: 'email_not_verified',
    })
  return deps.db.transaction().execute(async (tx) => {
    if (!(await holdReader(tx, person))) throw notFound('You are not a member of this organization any more.')
    const former = (await selectSettings(tx, person, { lock: true })) ?? defaults
    const { mail = former.mail, hour = former.hour, timezone = former.timezone } = given
    const settings = { mail, hour, timezone }
    await updateSettings(tx, person, { ...settings, dueAt: mail ? findNextMail(settings, deps.clock.now()) : null })
    return settings
  })
}
