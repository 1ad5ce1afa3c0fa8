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
  retryMail,
  setBillingTier,
} from '@noema/contracts/admin.ts'
import {
  endOrganization,
  getAdministeredOrganization,
  listTiers,
  previewOrganizationEnd,
} from '@noema/contracts/administered-organizations.ts'
import { readServiceHealth } from '@noema/contracts/service-health.ts'
import * as accessRequests from '../../features/accounts/admin-events/access-requests.ts'
import * as adminEvents from '../../features/accounts/admin-events/admin-events.ts'
import { listCodes, makeCode, removeCode } from '../../features/accounts/invitation-codes/invitation-codes.ts'
import { findOrganization, listOrganizationPage } from '../../features/accounts/organizations/organizations.ts'
import { readTiers, setTier } from '../../features/accounts/tiers/tiers.ts'
import {
  endByOperator,
  isProtected,
  previewOperatorEnd,
} from '../../features/deletions/organization-deletion/operator-deletion.ts'
import { readUse } from '../../features/oversight/organization-use/organization-use.ts'
import { listMailPage, retryMail as retryAgain } from '../../features/platform/mail/mail.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'
import { checkCode } from '../path-arguments.ts'

/** The scope of cursors of lists of the whole service. */
const service = 'service'

export const adminBindings = [
  defineBinding(requestAccess, async (deps, { body }) => {
    await adminEvents.addAccessRequest(deps, body)
    return { data: { submitted: true } }
  }),
  defineBinding(listAccessRequests, async (deps, { query }) => {
    const { state } = query
    const list = { scope: deps.listScope(service), list: `access requests:${state ?? ''}`, start: '' }
    const read = (page: ListPage) => accessRequests.listAccessRequests(deps.db, state, page)
    return listAnswer('requests', list, query, read, ({ id }) => id)
  }),
  defineBinding(approveAccessRequest, async (deps, { principal, params, body }) => ({
    data: { request: await accessRequests.approveRequest(deps, principal, { ...params, ...body }) },
  })),
  defineBinding(refuseAccessRequest, async (deps, { principal, params, body }) => ({
    data: { request: await accessRequests.refuseRequest(deps, principal, { ...params, ...body }) },
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
    await removeCode(db, checkCode(params.code))
    return { data: { deleted: true } }
  }),
  defineBinding(listOrganizations, async (deps, { query }) => {
    const { owner, q, tier, state } = query
    const filter = { owner, q, tier, state }
    const list = { scope: deps.listScope(service), list: `organizations:${JSON.stringify(filter)}`, start: '' }
    const read = (page: ListPage) => listOrganizationPage(deps.db, filter, page)
    return listAnswer('organizations', list, query, read, ({ id }) => id)
  }),
  defineBinding(getAdministeredOrganization, async (deps, { params: { id } }) => {
    const { verified, ...found } = await findOrganization(deps.db, id)
    const { tier } = found.organization
    const caps = tier === 'staff' || verified ? tier : 'unverified'
    const used = await readUse(deps, id, deps.limits.caps[caps])
    return { data: { ...found, ...used, caps, protected: await isProtected(deps, deps.db, id) } }
  }),
  defineBinding(previewOrganizationEnd, async (deps, { params }) => ({
    data: await previewOperatorEnd(deps, params.id),
  })),
  defineBinding(endOrganization, async (deps, { principal, params, body }) => ({
    data: { deleted: true, erased: await endByOperator(deps, principal, { ...params, ...body }) },
  })),
  defineBinding(listTiers, async ({ limits }) => ({ data: { tiers: readTiers(limits) } })),
  defineBinding(listMail, async (deps, { query }) => {
    const { state } = query
    const list = { scope: deps.listScope(service), list: `mail:${state ?? ''}`, start: '' }
    const read = (page: ListPage) => listMailPage({ db: deps.db, delivers: deps.mail.delivers, state }, page)
    return listAnswer('mail', list, query, read, ({ id }) => id)
  }),
  defineBinding(retryMail, async (deps, { params }) => ({
    data: { mail: await retryAgain({ ...deps, delivers: deps.mail.delivers }, params.id) },
  })),
  defineBinding(readServiceHealth, async ({ serviceHealth }) => ({ data: await serviceHealth.read() })),
  defineBinding(listAdminEvents, async ({ db }, { query }) => ({
    data: { events: await adminEvents.listAdminEvents(db, query) },
  })),
]
