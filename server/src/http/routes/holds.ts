import { holdBrain, releaseBrain } from '@noema/contracts/holds.ts'
import type { AppDeps } from '../../app-deps.ts'
import { brainView } from '../../features/brain/brains/brains.ts'
import { holdBrainByHandle, releaseBrainByHandle } from '../../features/brain/brains/holds.ts'
import { publishHeldChanges } from '../../features/writing/review/review.ts'
import { brainTopic } from '../../shared/topics.ts'
import { route } from '../endpoint.ts'

export const holdRoutes = [
  route(holdBrain, async (deps: AppDeps, { caller, params, body }) => {
    const target = { organizationId: caller.organization.id, handle: params.handle }
    const { brain, hold, changed } = await holdBrainByHandle(deps, target, { reason: body.reason, by: caller.keyId })
    if (changed) deps.topics.publish(brainTopic(brain.brainId))
    return { data: { brain: brainView(brain), hold } }
  }),
  route(releaseBrain, async (deps: AppDeps, { caller, params }) => {
    const target = { organizationId: caller.organization.id, handle: params.handle }
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
