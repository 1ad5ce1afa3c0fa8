import {
  getBrainKey,
  getManagementKey,
  listBrainKeys,
  listManagementKeys,
  mintBrainKey,
  mintManagementKey,
  revokeBrainKey,
  revokeManagementKey,
  rotateBrainKey,
  whoami,
} from '@noema/contracts/keys.ts'
import { checkCapabilities, findCapabilities, isAdministrator } from '../../access/authorize.ts'
import { findMadeByKey, pauseWebhooksOfKeys } from '../../access/end-access.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import { selectOrganizations } from '../../features/accounts/auth/account-queries.ts'
import {
  mintKey,
  mintKeyForBrain,
  revokeBrainKeyById,
  revokeKey,
  rotateKey,
} from '../../features/accounts/keys/keys.ts'
import {
  listBrainKeyPage,
  listManagementKeyPage,
  readBrainKey,
  readManagementKey,
} from '../../features/accounts/keys/read-keys.ts'
import { brainList, noSuchBrain } from '../../features/kernel/brains/brains.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

/** The Brain that the path names, and whose keys of it the caller may see; undefined for all. */
const requireTarget = (principal: ManagerPrincipal, handle: string) => {
  if (!principal.brain) throw noSuchBrain(handle)
  const { brain, actor: createdBy, organization } = principal
  const { brainId, handle: name } = brain
  const owner = principal.brainRole === 'manager' ? undefined : principal.userId
  return { brain, owner, target: { organizationId: organization.id, brainId, handle: name, createdBy, owner } }
}

const managementKeyBindings = [
  defineBinding(mintManagementKey, async (deps, { principal, body }) => {
    const member = { organizationId: principal.organization.id, userId: principal.userId, actor: principal.actor }
    const minted = await mintKey(deps, member, body)
    return { outcome: minted.secret === null ? 'done' : 'created', data: minted }
  }),
  defineBinding(listManagementKeys, async (deps, { principal, query }) => {
    const organizationId = principal.organization.id
    const list = { scope: deps.listScope(organizationId), list: 'management-keys', start: '' }
    const read = (page: ListPage) => listManagementKeyPage(deps, organizationId, page)
    return listAnswer('keys', list, query, read, ({ id }) => id)
  }),
  defineBinding(getManagementKey, async (deps, { principal, params }) => ({
    data: { key: await readManagementKey(deps, principal.organization.id, checkId(params.id)) },
  })),
  defineBinding(revokeManagementKey, async (deps, { principal, params }) => {
    const { organization, userId, role, actor } = principal
    const member = { organizationId: organization.id, userId, role, actor }
    const key = await revokeKey(deps, member, checkId(params.id))
    return { data: { key, remaining: await findMadeByKey(deps.db, organization.id, key.id, deps.clock.now()) } }
  }),
]

const brainKeyBindings = [
  defineBinding(mintBrainKey, async (deps, { principal, params, body }) => {
    checkCapabilities(principal, body.capabilities)
    const minted = await mintKeyForBrain(deps, requireTarget(principal, params.handle).target, body)
    return { outcome: minted.secret === null ? 'done' : 'created', data: minted }
  }),
  defineBinding(listBrainKeys, async (deps, { principal, params, query }) => {
    const { brain, owner } = requireTarget(principal, params.handle)
    const list = brainList(deps.db, brain, { list: 'brain-keys', start: '' })
    const read = (page: ListPage) => listBrainKeyPage(deps, brain.brainId, page, owner)
    return listAnswer('keys', list, query, read, ({ id }) => id)
  }),
  defineBinding(getBrainKey, async (deps, { principal, params }) => {
    const { brain, owner } = requireTarget(principal, params.handle)
    return { data: { key: await readBrainKey(deps, brain.brainId, checkId(params.keyId, 'keyId'), owner) } }
  }),
  defineBinding(rotateBrainKey, async (deps, { principal, params }) => ({
    data: await rotateKey(deps, requireTarget(principal, params.handle).target, checkId(params.keyId, 'keyId')),
  })),
  defineBinding(revokeBrainKey, async (deps, { principal, params }) => ({
    data: await revokeBrainKeyById(
      { ...deps, pauseWebhooks: pauseWebhooksOfKeys },
      requireTarget(principal, params.handle).target,
      checkId(params.keyId, 'keyId'),
    ),
  })),
]

export const keyBindings = [
  ...managementKeyBindings,
  ...brainKeyBindings,
  defineBinding(whoami, async (deps, { principal }) => {
    const brain = principal.kind === 'brain' ? { id: principal.brain.id, handle: principal.brain.handle } : null
    const user =
      principal.kind === 'session'
        ? { id: principal.userId, email: principal.email, emailVerified: principal.emailVerified }
        : null
    const isKey = principal.kind === 'management' || principal.kind === 'brain'
    const ofKey = isKey ? [{ id: principal.organization.id, name: principal.organization.name }] : []
    const organizations = principal.kind === 'session' ? await selectOrganizations(deps.db, principal.userId) : ofKey
    // Those of a key. For a session, they follow from the organizations that it may act in.
    const capabilities = principal.kind === 'session' ? [] : findCapabilities(principal)
    const administrator = await isAdministrator(deps, principal)
    return { data: { kind: principal.kind, user, administrator, organizations, brain, capabilities } }
  }),
]
