import {
  deleteBrain,
  getBrain,
  handle as handleSchema,
  listBrains,
  patchBrain,
  putBrain,
} from '@noema/contracts/brains.ts'
import { capsOf } from '../../access/caps.ts'
import type { AppDeps } from '../../app-deps.ts'
import {
  brainView,
  changeBrain,
  deleteBrainByHandle,
  pageOfBrains,
  putBrainByHandle,
} from '../../features/brain/brains/brains.ts'
import { forkOf } from '../../features/brain/schema/schema.ts'
import { validation } from '../../shared/errors.ts'
import { brainTopic } from '../../shared/topics.ts'
import { route } from '../endpoint.ts'
import { listAnswer, startOf } from './lists.ts'

const checkHandle = (handle: string): string => {
  const parsed = handleSchema.safeParse(handle)
  if (parsed.success) return parsed.data
  const message = parsed.error.issues[0]?.message ?? 'Not a handle.'
  throw validation(message, { details: [{ path: 'path.handle', message }] })
}

export const brainRoutes = [
  route(putBrain, async (deps: AppDeps, { caller, params, body }) => {
    const { organization } = caller
    const target = {
      organizationId: organization.id,
      handle: checkHandle(params.handle),
      caps: capsOf(deps, organization),
      fork: body.schema === undefined ? undefined : await forkOf(deps, organization.id, body.schema),
    }
    const { brain, created } = await putBrainByHandle(deps, target, body)
    return { status: created ? 201 : 200, data: { brain: brainView(brain) } }
  }),
  route(getBrain, async (_deps: AppDeps, { caller }) => ({ data: { brain: brainView(caller.brain) } })),
  route(listBrains, async (deps: AppDeps, { caller, query }) => {
    const scope = deps.listScope(caller.organization.id)
    const after = startOf('brains', scope, query.after)
    const rows = await pageOfBrains(deps, caller.organization.id, { after, limit: query.limit + 1 })
    return listAnswer('brains', 'brains', scope, {
      items: rows.map(brainView),
      place: ({ handle }) => handle,
      limit: query.limit,
      after,
    })
  }),
  route(patchBrain, async (deps: AppDeps, { caller, body }) => ({
    data: { brain: brainView(await changeBrain(deps, caller.brain, body)) },
  })),
  route(deleteBrain, async (deps: AppDeps, { caller, params }) => {
    const { brainId, erased } = await deleteBrainByHandle(deps, caller.organization.id, params.handle)
    deps.topics.publish(brainTopic(brainId))
    return { data: { deleted: true, erased } }
  }),
]
