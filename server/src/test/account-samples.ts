import { signUp, type TestApp } from './app.ts'
import { fresh, plain, type Sample } from './sample-parts.ts'

// Calls about people, organizations and the whole service.

/** A code, made behind the service's back: not everybody who is tried may make one. */
const onInvitationCode = async (test: TestApp) => {
  const code = fresh('code')
  await test.database.pool.query(
    `insert into invitation_codes (id, code, tier, created_at, updated_at) values ($1, $1, 'business', now(), now())`,
    [code],
  )
  return { params: { code } }
}

/** A request for access, made behind the service's back, which takes few of one address a day. */
const onAccessRequest = (body: object) => async (test: TestApp) => {
  const id = fresh('evt')
  const email = `${id}@example.com`
  await test.database.pool.query(
    `insert into admin_events (id, kind, email, summary, detail, created_at)
     values ($1, 'access_request', $2, $2, json_build_object('kind', 'access_request', 'email', $2::text), now())`,
    [id, email],
  )
  return { params: { id }, body }
}

/** What ends the organization or the account of whoever calls it. The samples of these are calls of somebody of their own. */
export const endsCaller = ['organization.delete', 'account.delete']

const ofSomebodyElse = (toBody: (person: Awaited<ReturnType<typeof signUp>>) => object) => async (test: TestApp) => {
  const person = await signUp(test)
  return { headers: person.session, body: toBody(person) }
}

const onOrganization: Sample = (_test, brain) => ({ params: { id: brain.organizationId } })

const onOtherOrganization = async (test: TestApp) => {
  const { organizationId: id } = await signUp(test)
  return { params: { id }, body: { confirm: 'Somebody' } }
}

/** A mail that nobody tries any more, of a service that has a mail server. */
const onGivenUpMail = async (test: TestApp) => {
  const id = fresh('msg')
  await test.database.pool.query(
    `insert into mail_outbox (id, recipient, subject, body, created_at, expires_at)
     values ($1, 'somebody@example.com', 'Hello', 'Hello.', now(), now() + interval '1 day')`,
    [id],
  )
  return { params: { id } }
}

export const accountSamples: Record<string, Sample> = {
  'accessRequests.submit': () => ({ body: { email: `${fresh('somebody')}@example.com` } }),
  'admin.setBillingTier': (_test, brain) => ({ body: { tenantId: brain.organizationId, tier: 'free' } }),
  'admin.listEvents': plain,
  'admin.listOrganizations': plain,
  'admin.organizations.get': onOrganization,
  'admin.organizations.previewEnd': onOrganization,
  'admin.organizations.end': onOtherOrganization,
  'admin.listTiers': plain,
  'admin.listMail': plain,
  'admin.retryMail': onGivenUpMail,
  'admin.health': plain,
  'admin.accessRequests.list': plain,
  'admin.accessRequests.approve': onAccessRequest({ tier: 'business' }),
  'admin.accessRequests.refuse': onAccessRequest({ reason: 'Not now.' }),
  'admin.invitationCodes.list': plain,
  'admin.invitationCodes.create': () => ({ body: { code: fresh('code') } }),
  'admin.invitationCodes.delete': onInvitationCode,
  'audit.list': plain,
  'organization.get': plain,
  'organization.export': plain,
  'organization.previewDeletion': plain,
  'organization.delete': ofSomebodyElse(() => ({ confirm: 'Somebody' })),
  'account.previewDeletion': plain,
  'account.delete': ofSomebodyElse(({ email }) => ({ confirm: email, password: 'correct horse battery' })),
  'notifications.list': plain,
  'notifications.waiting': plain,
  'notifications.read': () => ({ body: { ids: ['ntf_none'] } }),
  'notifications.settings.get': plain,
  'notifications.settings.patch': () => ({ body: { hour: 9 } }),
}
