import { assertStatement, getStatement, listStatements, retractStatement } from '@noema/contracts/statements.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import { listStatementPage, readStatement } from '../../features/knowledge/statements/statements.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'
import { type Rows, readAtChange, readCurrent } from '../previewing.ts'
import { answerOperation } from '../write-answer.ts'

export const statementBindings = [
  defineBinding(assertStatement, (deps, call) => {
    const { corrects, ...content } = call.body
    return answerOperation(deps, call, 'statement', { operation: { op: 'statement.assert', ...content }, corrects })
  }),
  defineBinding(retractStatement, (deps, call) => {
    const { corrects, reason } = call.body
    const operation = { op: 'statement.retract', id: checkId(call.params.id), reason } as const
    return answerOperation(deps, call, 'statement', { operation, corrects })
  }),
  defineBinding(getStatement, async (deps, call) => {
    const read = (rows: Rows, brain: BrainRow) => readStatement(rows, brain, checkId(call.params.id), call.query)
    if (call.query.change !== undefined) return readAtChange(deps, call, read)
    return { json: await readCurrent(deps, call.principal.brain, read) }
  }),
  defineBinding(listStatements, async (deps, call) => {
    const read = (rows: Rows, brain: BrainRow) => listStatementPage(rows, brain, call.query)
    if (call.query.change !== undefined) return readAtChange(deps, call, read)
    return { json: await readCurrent(deps, call.principal.brain, read) }
  }),
]
