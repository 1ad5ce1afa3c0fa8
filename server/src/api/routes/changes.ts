import {
  cancelChange,
  decideChange,
  getChange,
  listChanges,
  publishChange,
  rebaseChange,
  revertChange,
} from '@noema/contracts/changes.ts'
import { findCaps } from '../../access/limits.ts'
import { findNear } from '../../features/retrieval/near-duplicates/near-duplicates.ts'
import type { FindNear } from '../../features/writing/review/findings.ts'
import { planRevert } from '../../features/writing/review/revert.ts'
import {
  cancelApprovedChange,
  type Decision,
  decideOnChange,
  listChangePage,
  publishChangeNow,
  readChange,
  rebaseOnCurrent,
} from '../../features/writing/review/review.ts'
import type { AppDeps } from '../app-deps.ts'
import { type Call, defineBinding } from '../binding.ts'
import { answerWrite, settledAnswer } from '../write-answer.ts'

const toFindNear =
  (deps: AppDeps): FindNear =>
  (brain, texts) =>
    deps.brainReads.run({ read: 'search', brain }, (source) => findNear({ ...deps, source }, brain, texts))

type DecisionCall = Pick<Call<typeof publishChange>, 'principal' | 'params' | 'idempotencyKey'>

const toDecision = ({ limits }: AppDeps, { principal, params, idempotencyKey }: DecisionCall): Decision => ({
  id: params.id,
  actor: principal.actor,
  caps: findCaps(limits, principal.organization),
  idempotencyKey,
})

export const changeBindings = [
  defineBinding(listChanges, async (deps, { principal, query }) => ({
    data: await listChangePage(deps, principal.brain, query),
  })),
  defineBinding(getChange, async (deps, { principal, params }) => ({
    json: await readChange({ ...deps, findNear: toFindNear(deps) }, principal.brain, params.id),
  })),
  defineBinding(decideChange, async (deps, call) =>
    settledAnswer(await decideOnChange(deps, call.principal.brain.brainId, toDecision(deps, call), call.body)),
  ),
  defineBinding(publishChange, async (deps, call) =>
    settledAnswer(await publishChangeNow(deps, call.principal.brain.brainId, toDecision(deps, call))),
  ),
  defineBinding(cancelChange, async (deps, call) =>
    settledAnswer(await cancelApprovedChange(deps, call.principal.brain.brainId, toDecision(deps, call), call.body)),
  ),
  defineBinding(revertChange, async (deps, call) => {
    const { id } = call.params
    const write = await planRevert(deps, call.principal.brain.brainId, id, call.body.reason)
    return answerWrite(deps, call, write, ({ outcome }) => ({
      outcome: outcome === 'staged' ? 'staged' : 'done',
      data: { corrects: id },
    }))
  }),
  defineBinding(rebaseChange, async (deps, call) =>
    settledAnswer(await rebaseOnCurrent(deps, call.principal.brain.brainId, toDecision(deps, call))),
  ),
]
