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

/** What ends the organization or the account of whoever calls it. The samples of these are calls of somebody of their own. */
export const endsCaller = ['organization.delete', 'account.delete']

const ofSomebodyElse = (toBody: (person: Awaited<ReturnType<typeof signUp>>) => object) => async (test: TestApp) => {
  const person = await signUp(test)
  return { headers: person.session, body: toBody(person) }
}

export const accountSamples: Record<string, Sample> = {
  'accessRequests.submit': () => ({ body: { email: `${fresh('somebody')}@example.com` } }),
  'admin.setBillingTier': (_test, brain) => ({ body: { tenantId: brain.organizationId, tier: 'free' } }),
  'admin.listEvents': plain,
  'admin.listOrganizations': plain,
  'admin.listMail': plain,
  'admin.health': plain,
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
