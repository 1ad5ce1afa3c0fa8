import type { AdminEvent } from '@noema/contracts/admin.ts'
import type { Clock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { countRequests, insertEvent, selectEvents, selectFirstAddress } from './queries.ts'

// Events for the administrators of the service: requests for access, sign-ups and deleted organizations.

/** Requests for access that one address can make in a day. More are ignored, so that no one fills the list. */
const maxDailyRequests = 5
const day = 86_400_000

/** A page of events, the newest first. */
export const listAdminEvents = async (db: Db, page: Parameters<typeof selectEvents>[1]): Promise<AdminEvent[]> =>
  (await selectEvents(db, page)).map((event) => ({ ...event, createdAt: event.createdAt.toISOString() }))

/** Adds the event of a sign-up, in its transaction. */
export const addSignUp = async (
  db: Queryable,
  { email, userId, inviteCode }: { email: string; userId: string; inviteCode: string | undefined },
  createdAt: Date,
): Promise<void> => {
  const detail = { kind: 'signup' as const, email, userId, ...(inviteCode === undefined ? {} : { inviteCode }) }
  const id = newId('evt', createdAt)
  const summary = `${email} signed up`
  await insertEvent(db, { id, kind: 'signup', email, summary, detail, notificationType: null, createdAt })
}

/** Adds the event of an organization that an administrator deleted, in that transaction. It has no name, because names are erased. */
export const addEndedOrganization = async (
  tx: Tx,
  ended: { organizationId: string; userId: string; reason?: string },
  createdAt: Date,
): Promise<void> => {
  const kind = 'organization_ended' as const
  const summary = `An administrator ended the organization ${ended.organizationId}`
  const event = { id: newId('evt', createdAt), kind, summary, detail: { kind, ...ended }, createdAt }
  await insertEvent(tx, { ...event, email: '', notificationType: null })
}

type Request = { email: string; message?: string | undefined }
type Deps = { db: Db; clock: Clock; mail: Mail; adminEmails: readonly string[]; publicUrl: string }

/** The email to administrators. It has no word of the request's message, because anyone may have written it. */
const requestEmail = (to: string, email: string, publicUrl: string) => ({
  ...{ to, kind: 'access_request' as const },
  subject: 'Request for access',
  text: `Someone asked for access to Noema at ${publicUrl} and gave this address:

${email}

The address is not confirmed. Their message is in the list of requests. To let them in, approve the request, which emails them a link:

${publicUrl}/admin/requests
`,
})

/** The addresses in NOEMA_ADMIN_EMAILS, or the first account if there are none (D-17). */
const findRecipients = async ({ adminEmails }: Deps, tx: Tx): Promise<readonly string[]> => {
  if (adminEmails.length > 0) return adminEmails
  const first = await selectFirstAddress(tx)
  return first === undefined ? [] : [first]
}

const storeRequest = async (deps: Deps, tx: Tx, { email, message }: Request): Promise<void> => {
  const createdAt = deps.clock.now()
  if ((await countRequests(tx, email, new Date(createdAt.getTime() - day))) >= maxDailyRequests) return
  const recipients = await findRecipients(deps, tx)
  const id = newId('evt', createdAt)
  const detail = { kind: 'access_request' as const, email, ...(message === undefined ? {} : { message }) }
  const notificationType = recipients.length > 0 ? 'email' : null
  const summary = `${email} asks for access`
  await insertEvent(tx, { id, kind: 'access_request', email, summary, detail, notificationType, createdAt })
  for (const to of recipients) await deps.mail.send({ ...requestEmail(to, email, deps.publicUrl), about: id }, tx)
}

/** Stores a request for access and notifies the administrators. */
export const addAccessRequest = (deps: Deps, request: Request): Promise<void> =>
  deps.db.transaction().execute((tx) => storeRequest(deps, tx, request))
