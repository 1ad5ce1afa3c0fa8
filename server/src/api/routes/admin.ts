import {
  approveAccessRequest,
  listAccessRequests,
  refuseAccessRequest,
  requestAccess,
} from '@noema/contracts/access-requests.ts'
import {
  createInvitationCode,
  deleteInvitationCode,
  listAdminEvents,
  listInvitationCodes,
  listMail,
  listOrganizations,
  setBillingTier,
} from '@noema/contracts/admin.ts'
import { readServiceHealth } from '@noema/contracts/service-health.ts'
import * as adminEvents from '../../features/accounts/admin-events/admin-events.ts'
import { listCodes, makeCode, removeCode } from '../../features/accounts/invitation-codes/invitation-codes.ts'
import { listOrganizationPage } from '../../features/accounts/organizations/organizations.ts'
import { setTier } from '../../features/accounts/tiers/tiers.ts'
import { listMailPage } from '../../features/platform/mail/mail.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'

/** What cursors of lists of the whole service are bound to. */
const service = 'service'

export const adminBindings = [
  defineBinding(requestAccess, async (deps, { body }) => {
    await adminEvents.addAccessRequest(deps, body)
    return { data: { submitted: true } }
  }),
  defineBinding(listAccessRequests, async (deps, { query }) => {
    const { state } = query
    const list = { scope: deps.listScope(service), list: `access requests:${state ?? ''}`, start: '' }
    const read = (page: ListPage) => adminEvents.listAccessRequests(deps.db, state, page)
    return listAnswer('requests', list, query, read, ({ id }) => id)
  }),
  defineBinding(approveAccessRequest, async (deps, { principal, params, body }) => ({
    data: { request: await adminEvents.approveRequest(deps, principal, { ...params, ...body }) },
  })),
  defineBinding(refuseAccessRequest, async (deps, { principal, params, body }) => ({
    data: { request: await adminEvents.refuseRequest(deps, principal, { ...params, ...body }) },
  })),
  defineBinding(setBillingTier, async (deps, { principal, body }) => {
    await setTier(deps, principal.actor, body)
    return { data: { tenantId: body.tenantId, tier: body.tier } }
  }),
  defineBinding(listInvitationCodes, async ({ db }) => ({ data: { codes: await listCodes(db) } })),
  defineBinding(createInvitationCode, async (deps, { principal, body }) => ({
    data: { code: await makeCode(deps, principal.userId, body) },
  })),
  defineBinding(deleteInvitationCode, async ({ db }, { params }) => {
    await removeCode(db, params.code)
    return { data: { deleted: true } }
  }),
  defineBinding(listOrganizations, async (deps, { query }) => {
    const { owner } = query
    const list = { scope: deps.listScope(service), list: `organizations:${owner ?? ''}`, start: '' }
    const read = (page: ListPage) => listOrganizationPage(deps.db, owner, page)
    return listAnswer('organizations', list, query, read, ({ id }) => id)
  }),
  defineBinding(listMail, async (deps, { query }) => {
    const list = { scope: deps.listScope(service), list: 'mail', start: '' }
    const read = (page: ListPage) => listMailPage({ db: deps.db, delivers: deps.mail.delivers }, page)
    return listAnswer('mail', list, query, read, ({ id }) => id)
  }),
  defineBinding(readServiceHealth, async ({ serviceHealth }) => ({ data: await serviceHealth.read() })),
  defineBinding(listAdminEvents, async ({ db }, { query }) => ({
    data: { events: await adminEvents.listAdminEvents(db, query) },
  })),
]
