import {
  createRecord,
  deleteRecord,
  getRecord,
  listRecordHistory,
  listRecords,
  mergeRecord,
  patchRecord,
  putRecord,
} from '@noema/contracts/records.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import { listRecordHistoryPage, listRecordPage, readRecord } from '../../features/knowledge/records/records.ts'
import { planMerge } from '../../features/writing/merging/merging.ts'
import { defineBinding } from '../binding.ts'
import { checkId, checkNewId } from '../path-arguments.ts'
import { type Rows, readAtChange, readCurrent } from '../previewing.ts'
import { answerOperation, answerWrite } from '../write-answer.ts'

export const recordBindings = [
  defineBinding(createRecord, (deps, call) => {
    const { corrects, ...content } = call.body
    return answerOperation(deps, call, 'record', { operation: { op: 'record.create', ...content }, corrects })
  }),
  defineBinding(putRecord, (deps, call) => {
    const { corrects, ...content } = call.body
    const operation = { op: 'record.put', id: checkNewId(call.params.id), ifMatch: call.ifMatch, ...content } as const
    return answerOperation(deps, call, 'record', { operation, corrects })
  }),
  defineBinding(patchRecord, (deps, call) => {
    const { corrects, ...content } = call.body
    const operation = { op: 'record.patch', id: checkId(call.params.id), ifMatch: call.ifMatch, ...content } as const
    return answerOperation(deps, call, 'record', { operation, corrects })
  }),
  defineBinding(deleteRecord, (deps, call) => {
    const operation = { op: 'record.delete', id: checkId(call.params.id), ifMatch: call.ifMatch } as const
    return answerOperation(deps, call, 'record', { operation })
  }),
  defineBinding(mergeRecord, async (deps, call) => {
    const { principal, params, ifMatch, body } = call
    const place = { from: checkId(params.id), ifMatch, mayTrust: principal.kind !== 'brain' }
    const write = await planMerge(deps, principal.brain, place, body)
    return answerWrite(deps, call, write, ({ outcome, applied }) => {
      const merged = applied.find(({ target }) => target.id === place.from)
      const record = { id: body.into, kind: merged?.target.kind ?? '' }
      return { outcome: outcome === 'staged' ? 'staged' : 'done', data: { record } }
    })
  }),
  defineBinding(getRecord, async (deps, call) => {
    const read = (rows: Rows, brain: BrainRow) => readRecord(rows, brain, checkId(call.params.id), call.query)
    if (call.query.change !== undefined) return readAtChange(deps, call, read)
    return { json: await readCurrent(deps, call.principal.brain, read) }
  }),
  defineBinding(listRecords, async (deps, call) => {
    const read = (rows: Rows, brain: BrainRow) => listRecordPage(rows, brain, call.query)
    if (call.query.change !== undefined) return readAtChange(deps, call, read)
    return { json: await readCurrent(deps, call.principal.brain, read) }
  }),
  defineBinding(listRecordHistory, async (deps, { principal, params, query }) => ({
    json: await listRecordHistoryPage(deps, principal.brain, checkId(params.id), query),
  })),
]
