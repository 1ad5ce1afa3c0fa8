import {
  cancelChange,
  decideChange,
  getChange,
  listChanges,
  publishChange,
  rebaseChange,
  revertChange,
} from '@noema/contracts/changes.ts'
import type { AppDeps } from '../../app-deps.ts'
import { openPlace } from '../../features/brain/versioning/reading.ts'
import { revertOf } from '../../features/writing/review/revert.ts'
import {
  cancelApprovedChange,
  changesAfter,
  decideOnChange,
  publishChangeNow,
  readChange,
  rebaseOnCurrent,
  type Settling,
} from '../../features/writing/review/review.ts'
import { type Call, route } from '../endpoint.ts'
import { listAnswer } from './lists.ts'
import { answerWrite, settledAnswer } from './writing.ts'

type SettlingCall = Pick<Call<typeof publishChange>, 'caller' | 'params' | 'idempotencyKey'>

const settlingOf = ({ caller, params, idempotencyKey }: SettlingCall): Settling => ({
  id: params.id,
  actor: caller.actor,
  idempotencyKey,
})

export const changeRoutes = [
  route(listChanges, async (deps: AppDeps, { caller, query }) => {
    const { brain } = caller
    const after = await openPlace(deps.db, brain, { list: 'changes', start: '' }, query.after)
    const items = await changesAfter(deps, brain, query, { after, limit: query.limit + 1 })
    return listAnswer('changes', 'changes', brain, { items, place: ({ id }) => id, limit: query.limit, after })
  }),
  route(getChange, async (deps: AppDeps, { caller, params }) => ({
    data: await readChange(deps, caller.brain, params.id),
  })),
  route(decideChange, async (deps: AppDeps, call) =>
    settledAnswer(await decideOnChange(deps, call.caller.brain.brainId, settlingOf(call), call.body)),
  ),
  route(publishChange, async (deps: AppDeps, call) =>
    settledAnswer(await publishChangeNow(deps, call.caller.brain.brainId, settlingOf(call))),
  ),
  route(cancelChange, async (deps: AppDeps, call) =>
    settledAnswer(await cancelApprovedChange(deps, call.caller.brain.brainId, settlingOf(call), call.body)),
  ),
  route(revertChange, async (deps: AppDeps, call) => {
    const { id } = call.params
    const write = await revertOf(deps, call.caller.brain.brainId, id, call.body.reason)
    return answerWrite(deps, call, write, ({ outcome }) => ({
      status: outcome === 'staged' ? 202 : 200,
      data: { corrects: id },
    }))
  }),
  route(rebaseChange, async (deps: AppDeps, call) =>
    settledAnswer(await rebaseOnCurrent(deps, call.caller.brain.brainId, settlingOf(call))),
  ),
]
