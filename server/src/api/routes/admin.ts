import { requestAccess } from '@noema/contracts/access-requests.ts'
import {
  createInvitationCode,
  deleteInvitationCode,
  listAdminEvents,
  listInvitationCodes,
  setBillingTier,
} from '@noema/contracts/admin.ts'
import * as adminEvents from '../../features/accounts/admin-events/admin-events.ts'
import { listCodes, makeCode, removeCode } from '../../features/accounts/invitation-codes/invitation-codes.ts'
import { setTier } from '../../features/accounts/tiers/tiers.ts'
import { defineBinding } from '../binding.ts'

export const adminBindings = [
  defineBinding(requestAccess, async (deps, { body }) => {
    await adminEvents.addAccessRequest(deps, body)
    return { data: { submitted: true } }
  }),
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
  defineBinding(listAdminEvents, async ({ db }, { query }) => ({
    data: { events: await adminEvents.listAdminEvents(db, query) },
  })),
]
