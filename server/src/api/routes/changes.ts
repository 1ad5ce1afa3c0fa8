import {
  cancelChange,
  decideChange,
  getChange,
  listChanges,
  publishChange,
  rebaseChange,
  revertChange,
} from '@noema/contracts/changes.ts'
import { brainList } from '../../features/brain/brains/brains.ts'
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
    const list = brainList(deps.db, brain, { list: 'changes', start: '' })
    return listAnswer(
      'changes',
      list,
      query,
      (page) => changesAfter(deps, brain, query, page),
      ({ id }) => id,
    )
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
