import {
  listBrainKeys,
  listManagementKeys,
  mintBrainKey,
  mintManagementKey,
  revokeBrainKey,
  revokeManagementKey,
  rotateBrainKey,
  whoami,
} from '@noema/contracts/keys.ts'
import { isAdministrator } from '../../access/administrators.ts'
import { capabilitiesOf } from '../../access/authorize.ts'
import type { ManagementPrincipal, Principal, SessionPrincipal } from '../../access/principal.ts'
import type { AppDeps } from '../../app-deps.ts'
import { selectMembership, selectOrganizationsOf } from '../../features/accounts/auth/accounts.ts'
import {
  mintKey,
  mintKeyForBrain,
  pageOfBrainKeys,
  pageOfManagementKeys,
  revokeKey,
  revokeKeyOfBrain,
  rotateKey,
} from '../../features/accounts/keys/keys.ts'
import { noSuchBrain } from '../../features/brain/brains/brains.ts'
import { forbidden, validation } from '../../shared/errors.ts'
import { type Call, defineBinding } from '../binding.ts'
import { listAnswer, startOf } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

/** The organization that a session acts in: `x-organization-id`, which must be one of the user's own. */
const memberOf = async (deps: AppDeps, caller: SessionPrincipal, headers: Call<typeof whoami>['headers']) => {
  const organizationId = headers['x-organization-id']
  if (typeof organizationId !== 'string' || organizationId === '') {
    const message = 'Name the organization in the x-organization-id header; GET /v1/whoami lists yours.'
    throw validation(message, { details: [{ path: ['x-organization-id'], message }] })
  }
  if (!(await selectMembership(deps.db, caller.userId, organizationId)))
    throw forbidden('x-organization-id names no organization of yours; GET /v1/whoami lists yours.')
  return { organizationId, userId: caller.userId }
}

/** The Brain that a management key's path names. */
const brainOf = (caller: ManagementPrincipal, handle: string) => {
  if (!caller.brain) throw noSuchBrain(handle)
  return { brain: caller.brain, target: { brainId: caller.brain.brainId, createdBy: caller.actor.id } }
}

const organizationsOf = (deps: AppDeps, caller: Principal) => {
  if (caller.kind === 'session') return selectOrganizationsOf(deps.db, caller.userId)
  return caller.kind === 'public' ? [] : [{ id: caller.organization.id, name: caller.organization.name }]
}

const managementKeyBindings = [
  defineBinding(mintManagementKey, async (deps, { caller, headers, body }) => {
    const minted = await mintKey(deps, await memberOf(deps, caller, headers), body)
    return { outcome: minted.secret === null ? 'done' : 'created', data: minted }
  }),
  defineBinding(listManagementKeys, async (deps, { caller, headers, query }) => {
    const { organizationId } = await memberOf(deps, caller, headers)
    const scope = deps.listScope(organizationId)
    const after = startOf('management-keys', scope, query.after)
    const items = await pageOfManagementKeys(deps, organizationId, { after, limit: query.limit + 1 })
    return listAnswer('management-keys', 'keys', scope, { items, place: ({ id }) => id, limit: query.limit, after })
  }),
  defineBinding(revokeManagementKey, async (deps, { caller, headers, params }) => {
    const { organizationId } = await memberOf(deps, caller, headers)
    return { data: { key: await revokeKey(deps, organizationId, checkId(params.id)) } }
  }),
]

const brainKeyBindings = [
  defineBinding(mintBrainKey, async (deps, { caller, params, body }) => {
    const minted = await mintKeyForBrain(deps, brainOf(caller, params.handle).target, body)
    return { outcome: minted.secret === null ? 'done' : 'created', data: minted }
  }),
  defineBinding(listBrainKeys, async (deps, { caller, params, query }) => {
    const { brain } = brainOf(caller, params.handle)
    const after = startOf('brain-keys', brain, query.after)
    const items = await pageOfBrainKeys(deps, brain.brainId, { after, limit: query.limit + 1 })
    return listAnswer('brain-keys', 'keys', brain, { items, place: ({ id }) => id, limit: query.limit, after })
  }),
  defineBinding(rotateBrainKey, async (deps, { caller, params }) => ({
    data: await rotateKey(deps, brainOf(caller, params.handle).target, checkId(params.keyId, 'keyId')),
  })),
  defineBinding(revokeBrainKey, async (deps, { caller, params }) => ({
    data: {
      key: await revokeKeyOfBrain(deps, brainOf(caller, params.handle).brain.brainId, checkId(params.keyId, 'keyId')),
    },
  })),
]

export const keyBindings = [
  ...managementKeyBindings,
  ...brainKeyBindings,
  defineBinding(whoami, async (deps, { caller }) => {
    const brain = caller.kind === 'brain' ? { id: caller.brain.id, handle: caller.brain.handle } : null
    const user =
      caller.kind === 'session' ? { id: caller.userId, email: caller.email, emailVerified: caller.emailVerified } : null
    const organizations = await organizationsOf(deps, caller)
    const administrator = await isAdministrator(deps, caller)
    const capabilities = capabilitiesOf(caller)
    return { data: { kind: caller.kind, user, administrator, organizations, brain, capabilities } }
  }),
]
