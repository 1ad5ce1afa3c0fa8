import { batch } from '@noema/contracts/batch.ts'
import { defineBinding } from '../binding.ts'
import { answerWrite } from '../write-answer.ts'

export const batchBindings = [
  defineBinding(batch, (deps, call) => {
    const { operations, corrects, reason, review } = call.body
    return answerWrite(deps, call, { operations, corrects, reason, review, isBatch: true }, ({ outcome, applied }) => ({
      outcome: outcome === 'staged' ? 'staged' : 'done',
      data: { results: applied.map(({ result }) => result) },
    }))
  }),
]
