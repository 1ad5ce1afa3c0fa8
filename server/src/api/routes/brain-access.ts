import {
  changeBrainAccess,
  listRestrictedBrains,
  putBrainMember,
  readBrainAccess,
  removeBrainMember,
  takeOverBrain,
} from '@noema/contracts/brain-access.ts'
import { pauseStrangers } from '../../access/pause-strangers.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import { findRole } from '../../features/accounts/auth/account-queries.ts'
import * as members from '../../features/kernel/brain-members/brain-members.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../features/kernel/brains/brains.ts'
import { brainTopic } from '../../shared/concurrency/topics.ts'
import { forbidden } from '../../shared/errors.ts'
import type { AppDeps } from '../app-deps.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'

/** The Brain that the path names, also one that is not open to its organization's owner who calls. */
const requireBrain = ({ brain, closedBrain }: ManagerPrincipal, handle: string): BrainRow => {
  const found = brain ?? closedBrain
  if (!found) throw noSuchBrain(handle)
  return found
}

const toChanger = ({ actor, userId }: ManagerPrincipal) => ({ by: actor, userId })

const withPauses = (deps: AppDeps) => ({ ...deps, pauseStrangers })

/** Wakes the open streams of a Brain, so that those whose access ended notice it. */
const wake = (deps: AppDeps, { brainId }: BrainRow): void => deps.topics.publish(brainTopic(brainId))

/** Reads who may use a Brain, as its caller sees it now. */
const readNow = async (deps: AppDeps, brain: BrainRow, userId: string) => {
  const access = await members.readAccess(deps, brain, null)
  const own = access.members.find((member) => member.userId === userId)
  return { ...access, role: access.openTo === 'organization' ? ('manager' as const) : (own?.role ?? null) }
}

export const brainAccessBindings = [
  defineBinding(readBrainAccess, async (deps, { principal, params }) => ({
    data: { access: await readNow(deps, requireBrain(principal, params.handle), principal.userId) },
  })),
  defineBinding(changeBrainAccess, async (deps, { principal, params, body }) => {
    const brain = requireBrain(principal, params.handle)
    const orgRole = (await findRole(deps.db, principal.organization.id, principal.userId)) ?? ''
    await members.changeAccess(withPauses(deps), brain, { ...toChanger(principal), orgRole }, body)
    wake(deps, brain)
    return { data: { access: await readNow(deps, brain, principal.userId) } }
  }),
  defineBinding(putBrainMember, async (deps, { principal, params, body }) => {
    const brain = requireBrain(principal, params.handle)
    const given = { named: params.member, role: body.role }
    const member = await members.putMember(withPauses(deps), brain, toChanger(principal), given)
    wake(deps, brain)
    return { data: { member } }
  }),
  defineBinding(removeBrainMember, async (deps, { principal, params }) => {
    const brain = requireBrain(principal, params.handle)
    const member = await members.removeMember(withPauses(deps), brain, toChanger(principal), params.member)
    wake(deps, brain)
    return { data: { member } }
  }),
  defineBinding(takeOverBrain, async (deps, { principal, params }) => {
    const brain = requireBrain(principal, params.handle)
    await members.takeOver(withPauses(deps), brain, toChanger(principal))
    return { data: { access: await readNow(deps, brain, principal.userId) } }
  }),
  defineBinding(listRestrictedBrains, async (deps, { principal, query }) => {
    const { organization, userId } = principal
    if ((await findRole(deps.db, organization.id, userId)) !== 'owner')
      throw forbidden('Only owners of the organization see which Brains are open to named members only.')
    const list = { scope: deps.listScope(organization.id), list: 'restricted-brains', start: '' }
    const reader = { organizationId: organization.id, userId }
    const read = (page: ListPage) => members.listRestrictedPage(deps, reader, page)
    return listAnswer('brains', list, query, read, ({ handle }) => handle)
  }),
]
