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
import type { ManagerPrincipal, Principal } from '../../access/principal.ts'
import type { AppDeps } from '../../app-deps.ts'
import { selectOrganizationsOf } from '../../features/accounts/auth/auth.ts'
import {
  mintKey,
  mintKeyForBrain,
  pageOfBrainKeys,
  pageOfManagementKeys,
  revokeKey,
  revokeKeyOfBrain,
  rotateKey,
} from '../../features/accounts/keys/keys.ts'
import { brainList, noSuchBrain } from '../../features/brain/brains/brains.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

/** The Brain that the path names. */
const brainOf = (caller: ManagerPrincipal, handle: string) => {
  if (!caller.brain) throw noSuchBrain(handle)
  return { brain: caller.brain, target: { brainId: caller.brain.brainId, createdBy: caller.actor } }
}

const organizationsOf = (deps: AppDeps, caller: Principal) => {
  if (caller.kind === 'session') return selectOrganizationsOf(deps.db, caller.userId)
  return caller.kind === 'public' ? [] : [{ id: caller.organization.id, name: caller.organization.name }]
}

const managementKeyBindings = [
  defineBinding(mintManagementKey, async (deps, { caller, body }) => {
    const member = { organizationId: caller.organization.id, userId: caller.userId }
    const minted = await mintKey(deps, member, body)
    return { outcome: minted.secret === null ? 'done' : 'created', data: minted }
  }),
  defineBinding(listManagementKeys, async (deps, { caller, query }) => {
    const organizationId = caller.organization.id
    const list = { scope: deps.listScope(organizationId), list: 'management-keys', start: '' }
    const read = (page: ListPage) => pageOfManagementKeys(deps, organizationId, page)
    return listAnswer('keys', list, query, read, ({ id }) => id)
  }),
  defineBinding(revokeManagementKey, async (deps, { caller, params }) => ({
    data: { key: await revokeKey(deps, caller.organization.id, checkId(params.id)) },
  })),
]

const brainKeyBindings = [
  defineBinding(mintBrainKey, async (deps, { caller, params, body }) => {
    const minted = await mintKeyForBrain(deps, brainOf(caller, params.handle).target, body)
    return { outcome: minted.secret === null ? 'done' : 'created', data: minted }
  }),
  defineBinding(listBrainKeys, async (deps, { caller, params, query }) => {
    const { brain } = brainOf(caller, params.handle)
    const list = brainList(deps.db, brain, { list: 'brain-keys', start: '' })
    const read = (page: ListPage) => pageOfBrainKeys(deps, brain.brainId, page)
    return listAnswer('keys', list, query, read, ({ id }) => id)
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
    // Those of a key: what a session may do is told by the organizations that it may act in.
    const capabilities = caller.kind === 'session' ? [] : capabilitiesOf(caller)
    return { data: { kind: caller.kind, user, administrator, organizations, brain, capabilities } }
  }),
]
