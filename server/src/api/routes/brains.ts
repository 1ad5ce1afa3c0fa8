import { deleteBrain, getBrain, listBrains, patchBrain, putBrain } from '@noema/contracts/brains.ts'
import { holdBrain, releaseBrain } from '@noema/contracts/holds.ts'
import { findCaps } from '../../access/caps.ts'
import {
  brainView,
  changeBrain,
  deleteBrainByHandle,
  listBrainPage,
  putBrainByHandle,
} from '../../features/brain/brains/brains.ts'
import { holdBrainByHandle, releaseBrainByHandle } from '../../features/brain/holds/holds.ts'
import { findFork } from '../../features/brain/organization-schemas/organization-schemas.ts'
import { publishHeldChanges } from '../../features/writing/review/review.ts'
import { brainTopic } from '../../shared/topics.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'
import { checkHandle } from '../path-arguments.ts'

export const brainBindings = [
  defineBinding(putBrain, async (deps, { principal, params, body }) => {
    const { organization } = principal
    const target = {
      organizationId: organization.id,
      handle: checkHandle(params.handle),
      caps: findCaps(deps, organization),
      fork: body.schema === undefined ? undefined : await findFork(deps, organization.id, body.schema),
    }
    const { brain, created } = await putBrainByHandle(deps, target, body)
    return { outcome: created ? 'created' : 'done', data: { brain: brainView(brain) } }
  }),
  defineBinding(getBrain, async (_deps, { principal }) => ({ data: { brain: brainView(principal.brain) } })),
  defineBinding(listBrains, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'brains', start: '' }
    const read = async (page: ListPage) => (await listBrainPage(deps, id, page)).map(brainView)
    return listAnswer('brains', list, query, read, ({ handle }) => handle)
  }),
  defineBinding(patchBrain, async (deps, { principal, body }) => ({
    data: { brain: brainView(await changeBrain(deps, principal.brain, body)) },
  })),
  defineBinding(deleteBrain, async (deps, { principal, params }) => {
    const { brainId, erased } = await deleteBrainByHandle(deps, principal.organization.id, params.handle)
    deps.topics.publish(brainTopic(brainId))
    return { data: { deleted: true, erased } }
  }),
  defineBinding(holdBrain, async (deps, { principal, params, body }) => {
    const target = { organizationId: principal.organization.id, handle: params.handle }
    const { brain, hold, changed } = await holdBrainByHandle(deps, target, { reason: body.reason, by: principal.actor })
    if (changed) deps.topics.publish(brainTopic(brain.brainId))
    return { data: { brain: brainView(brain), hold } }
  }),
  defineBinding(releaseBrain, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, handle: params.handle }
    const { brain, hold, changed } = await releaseBrainByHandle(deps, target)
    if (changed) deps.topics.publish(brainTopic(brain.brainId))
    // The release stands already. A worker publishes what this cannot, or what a crash leaves over.
    if (changed)
      await publishHeldChanges(deps, brain.brainId).catch((error) =>
        deps.log.warn({ brain: brain.id, err: error }, 'what a hold had blocked is left to the worker'),
      )
    return { data: { brain: brainView(brain), hold } }
  }),
]
