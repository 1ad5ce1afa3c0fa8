import { deleteBrain, getBrain, listBrains, patchBrain, putBrain } from '@noema/contracts/brains.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { holdBrain, releaseBrain } from '@noema/contracts/holds.ts'
import { mayRead } from '../../access/authorize.ts'
import { findCaps } from '../../access/limits.ts'
import type { ManagerPrincipal, Principal } from '../../access/principal.ts'
import { checkEvalOfBrain } from '../../features/evals/change-evals/request-eval.ts'
import { restrict } from '../../features/kernel/brain-members/brain-members.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import {
  brainView,
  changeBrain,
  deleteBrainByHandle,
  listBrainPage,
  putBrainByHandle,
} from '../../features/kernel/brains/brains.ts'
import { readCounts } from '../../features/kernel/counts/counts.ts'
import { holdBrainByHandle, readHold, releaseBrainByHandle } from '../../features/knowledge/holds/holds.ts'
import { findFork } from '../../features/knowledge/organization-schemas/organization-schemas.ts'
import { readIndexing } from '../../features/retrieval/indexing-progress/indexing-progress.ts'
import { requestForPending } from '../../features/writing/change-evals/change-eval-queries.ts'
import { publishHeldChanges } from '../../features/writing/review/publish.ts'
import { brainTopic } from '../../shared/concurrency/topics.ts'
import { forbidden } from '../../shared/errors.ts'
import type { Tx } from '../../storage/database.ts'
import type { AppDeps } from '../app-deps.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'
import { checkHandle } from '../path-arguments.ts'

/** Refuses a Brain key that tries to change the description that every agent reads: `admin` is about how the Brain works. */
const checkDescription = (principal: Principal, { name, purpose }: BodyOutput<typeof patchBrain>): void => {
  if (principal.kind === 'brain' && (name !== undefined || purpose !== undefined))
    throw forbidden(
      `Changing name or purpose needs a management key or a session; the key has ${principal.capabilities.join(', ')}.`,
    )
}

/** A Brain that requires an eval from now on has it run for the changes that wait. */
const findFollow = async (deps: AppDeps, brain: BrainRow, { reviewRules }: BodyOutput<typeof patchBrain>) => {
  const evalId = reviewRules?.requireEval
  if (typeof evalId !== 'string') return undefined
  await checkEvalOfBrain(deps.db, brain, evalId, ['reviewRules', 'requireEval'])
  return (tx: Tx, { brainId }: BrainRow, now: Date) => requestForPending(tx, { brainId, evalId, now })
}

/** Restricts a new Brain to who creates it. */
const restrictTo =
  ({ actor, userId }: ManagerPrincipal) =>
  (tx: Tx, brain: BrainRow, now: Date) =>
    restrict(tx, brain, { by: actor, userId }, now)

export const brainBindings = [
  defineBinding(putBrain, async (deps, { principal, params, body }) => {
    const { organization } = principal
    const target = {
      organizationId: organization.id,
      handle: checkHandle(params.handle),
      caps: findCaps(deps.limits, organization),
      by: principal.actor,
      restrict: body.openTo === 'members' ? restrictTo(principal) : undefined,
      fork: body.schema === undefined ? undefined : await findFork(deps, organization.id, body.schema),
    }
    const { brain, created } = await putBrainByHandle(deps, target, body)
    return { outcome: created ? 'created' : 'done', data: { brain: brainView(brain) } }
  }),
  defineBinding(getBrain, async (deps, { principal: { brain } }) => {
    const [hold, counted, indexing] = await Promise.all([
      readHold(deps, brain),
      readCounts(deps, brain),
      readIndexing(deps, brain),
    ])
    return { data: { brain: { ...brainView(brain), reviewRules: brain.reviewRules, hold, ...counted, indexing } } }
  }),
  defineBinding(listBrains, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'brains', start: '' }
    const read = async (page: ListPage) => (await listBrainPage(deps, id, page, principal.viewer)).map(brainView)
    return listAnswer('brains', list, query, read, ({ handle }) => handle)
  }),
  defineBinding(patchBrain, async (deps, { principal, body }) => {
    checkDescription(principal, body)
    const target = {
      brain: principal.brain,
      by: principal.actor,
      follow: await findFollow(deps, principal.brain, body),
    }
    const brain = brainView(await changeBrain(deps, target, body))
    const { handle, mode, availability } = brain
    return { data: { brain: mayRead(principal) ? brain : { handle, mode, availability } } }
  }),
  defineBinding(deleteBrain, async (deps, { principal, params }) => {
    const { brainId, erased } = await deleteBrainByHandle(deps, {
      organizationId: principal.organization.id,
      handle: params.handle,
      // Not one that was made under this handle while the call waited.
      brainId: principal.brain?.brainId,
      by: principal.actor,
    })
    deps.topics.publish(brainTopic(brainId))
    return { data: { deleted: true, erased } }
  }),
  defineBinding(holdBrain, async (deps, { principal, params, body }) => {
    const target = { organizationId: principal.organization.id, handle: params.handle, by: principal.actor }
    const { brain, hold, changed } = await holdBrainByHandle(deps, target, { reason: body.reason })
    if (changed) deps.topics.publish(brainTopic(brain.brainId))
    return { data: { brain: brainView(brain), hold } }
  }),
  defineBinding(releaseBrain, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, handle: params.handle, by: principal.actor }
    const { brain, hold, changed } = await releaseBrainByHandle(deps, target)
    if (changed) deps.topics.publish(brainTopic(brain.brainId))
    // The release is committed. A worker publishes the rest, also after a crash.
    if (changed)
      await publishHeldChanges(deps, brain.brainId).catch((error) =>
        deps.log.warn({ brain: brain.id, err: error }, 'what a hold had blocked is left to the worker'),
      )
    return { data: { brain: brainView(brain), hold } }
  }),
]
