import {
  cancelChange,
  decideChange,
  getChange,
  listChanges,
  publishChange,
  rebaseChange,
  revertChange,
} from '@noema/contracts/changes.ts'
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
import { type Call, defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { answerWrite, settledAnswer } from '../write-answer.ts'

type SettlingCall = Pick<Call<typeof publishChange>, 'caller' | 'params' | 'idempotencyKey'>

const settlingOf = ({ caller, params, idempotencyKey }: SettlingCall): Settling => ({
  id: params.id,
  actor: caller.actor,
  idempotencyKey,
})

export const changeBindings = [
  defineBinding(listChanges, async (deps, { caller, query }) => {
    const { brain } = caller
    const after = await openPlace(deps.db, brain, { list: 'changes', start: '' }, query.after)
    const items = await changesAfter(deps, brain, query, { after, limit: query.limit + 1 })
    return listAnswer('changes', 'changes', brain, { items, place: ({ id }) => id, limit: query.limit, after })
  }),
  defineBinding(getChange, async (deps, { caller, params }) => ({
    data: await readChange(deps, caller.brain, params.id),
  })),
  defineBinding(decideChange, async (deps, call) =>
    settledAnswer(await decideOnChange(deps, call.caller.brain.brainId, settlingOf(call), call.body)),
  ),
  defineBinding(publishChange, async (deps, call) =>
    settledAnswer(await publishChangeNow(deps, call.caller.brain.brainId, settlingOf(call))),
  ),
  defineBinding(cancelChange, async (deps, call) =>
    settledAnswer(await cancelApprovedChange(deps, call.caller.brain.brainId, settlingOf(call), call.body)),
  ),
  defineBinding(revertChange, async (deps, call) => {
    const { id } = call.params
    const write = await revertOf(deps, call.caller.brain.brainId, id, call.body.reason)
    return answerWrite(deps, call, write, ({ outcome }) => ({
      outcome: outcome === 'staged' ? 'staged' : 'done',
      data: { corrects: id },
    }))
  }),
  defineBinding(rebaseChange, async (deps, call) =>
    settledAnswer(await rebaseOnCurrent(deps, call.caller.brain.brainId, settlingOf(call))),
  ),
]
