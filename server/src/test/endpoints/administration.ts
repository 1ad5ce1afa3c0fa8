import { signUp, type TestApp } from '../app.ts'
import { fresh } from './fresh.ts'
import { asIs, at, type EndpointRow, type EndpointRows, plain, planted } from './row.ts'

// Administration of the whole service.

/** An invitation code, inserted into the database directly: not every caller of the matrix may create one. */
const onInvitationCode = async (test: TestApp) => {
  const code = fresh('code')
  await test.database.pool.query(
    `insert into invitation_codes (id, code, tier, created_at, updated_at) values ($1, $1, 'business', now(), now())`,
    [code],
  )
  return { params: { code } }
}

/** A request for access, inserted into the database directly: the service takes only a few a day from one address. */
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

const onOrganization: EndpointRow['call'] = (_test, brain) => ({ params: { id: brain.organizationId } })

const onOtherOrganization = async (test: TestApp) => {
  const { organizationId: id } = await signUp(test)
  return { params: { id }, body: { confirm: 'Somebody' } }
}

/** A mail that is no longer retried, of a service that has a mail server. */
const onGivenUpMail = async (test: TestApp) => {
  const id = fresh('msg')
  await test.database.pool.query(
    `insert into mail_outbox (id, recipient, subject, body, created_at, expires_at)
     values ($1, 'somebody@example.com', 'Hello', 'Hello.', now(), now() + interval '1 day')`,
    [id],
  )
  return { params: { id } }
}

export const administrationRows = {
  'admin.listEvents': { needs: 'administrator', call: plain, aimed: asIs },
  'admin.listOrganizations': { needs: 'administrator', call: plain, aimed: asIs },
  'admin.organizations.get': { needs: 'administrator', call: onOrganization, aimed: at('organizationId') },
  'admin.organizations.previewEnd': { needs: 'administrator', call: onOrganization, aimed: at('organizationId') },
  'admin.organizations.end': {
    needs: 'administrator',
    call: onOtherOrganization,
    aimed: ({ organizationId }) => [{ params: { id: organizationId }, body: { confirm: 'planted' } }],
    unaudited: "the log is deleted with the organization; an administrators' event names who did it",
  },
  'admin.listTiers': { needs: 'administrator', call: plain, aimed: asIs },
  'admin.listMail': { needs: 'administrator', call: plain, aimed: asIs },
  'admin.retryMail': {
    needs: 'administrator',
    call: onGivenUpMail,
    aimed: () => [planted],
    unaudited: 'it sends an earlier mail again',
  },
  'admin.health': { needs: 'administrator', call: plain, aimed: asIs },
  'admin.accessRequests.list': { needs: 'administrator', call: plain, aimed: asIs },
  'admin.accessRequests.approve': {
    needs: 'administrator',
    call: onAccessRequest({ tier: 'business' }),
    aimed: () => [{ ...planted, body: { tier: 'free' } }],
    unaudited: 'the request keeps who approved it; nobody has an account yet',
  },
  'admin.accessRequests.refuse': {
    needs: 'administrator',
    call: onAccessRequest({ reason: 'Not now.' }),
    aimed: () => [{ ...planted, body: { reason: 'Not now.' } }],
    unaudited: 'the request keeps who refused it',
  },
  'admin.invitationCodes.list': { needs: 'administrator', call: plain, aimed: asIs },
  'admin.invitationCodes.create': {
    needs: 'administrator',
    call: () => ({ body: { code: fresh('code') } }),
    aimed: () => [{ body: { code: 'planted' } }],
    unaudited: 'codes belong to no organization; each names its author',
  },
  'admin.invitationCodes.delete': {
    needs: 'administrator',
    call: onInvitationCode,
    aimed: () => [{ params: { code: 'planted' } }],
    unaudited: 'codes belong to no organization; accounts keep what a code gave them',
  },
  'admin.setBillingTier': {
    needs: 'administrator',
    call: (_test, brain) => ({ body: { tenantId: brain.organizationId, tier: 'free' } }),
    aimed: ({ organizationId }) => [{ body: { tenantId: organizationId, tier: 'free' } }],
    unaudited: 'the call sets the tier that there is; the test of tiers checks its entry',
  },
} satisfies EndpointRows
