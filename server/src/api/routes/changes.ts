import { commentOnChange } from '@noema/contracts/change-comments.ts'
import { previewChange } from '@noema/contracts/change-previews.ts'
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
import { requestChangeEval } from '../../features/evals/change-evals/request-eval.ts'
import { findNear } from '../../features/retrieval/near-duplicates/near-duplicates.ts'
import { askBeforeAndAfter } from '../../features/retrieval/previews/preview-questions.ts'
import { addComment } from '../../features/writing/comments/comments.ts'
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
import { invalidArgument } from '../../shared/errors.ts'
import type { AppDeps } from '../app-deps.ts'
import { type Call, defineBinding } from '../binding.ts'
import { inPreviewSlot } from '../previewing.ts'
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

/** The requests that a preview counts as, and those that each of its questions does. */
const [previewCost, questionCost] = [5, 2]

export const changeBindings = [
  defineBinding(listChanges, async (deps, { principal, query }) => ({
    data: await listChangePage(deps, principal.brain, query),
  })),
  defineBinding(getChange, async (deps, { principal, params }) => ({
    json: await readChange({ ...deps, findNear: toFindNear(deps) }, principal.brain, params.id),
  })),
  defineBinding(commentOnChange, async (deps, { principal, params, body }) => {
    const { brain, actor } = principal
    const comment = await addComment(deps, { brainId: brain.brainId, id: params.id }, { text: body.text, by: actor })
    return { outcome: 'created', data: { comment } }
  }),
  defineBinding(previewChange, async (deps, { principal, params, body }) => {
    const { brain } = principal
    const { questions, eval: evalId } = body
    if (questions.length === 0 && evalId === undefined)
      throw invalidArgument(['questions'], 'A preview has questions, an eval, or both.')
    const target = { brain, changeId: params.id }
    const found = evalId === undefined ? {} : { eval: await requestChangeEval(deps, target, evalId) }
    if (questions.length === 0) {
      const preview = { change: params.id }
      return { data: { questions: [], unanswered: 0, ...found, preview, stateVersion: brain.stateVersion + 1 } }
    }
    const cost = previewCost + questionCost * questions.length
    const ask = () => askBeforeAndAfter(deps, { brain, change: params.id }, body)
    return { data: { ...(await inPreviewSlot(deps, principal, cost, ask)), ...found } }
  }),
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
