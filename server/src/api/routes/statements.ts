import { assertStatement, getStatement, listStatements, retractStatement } from '@noema/contracts/statements.ts'
import { listStatementPage, readStatement } from '../../features/knowledge/statements/statements.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'
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
  defineBinding(getStatement, async (deps, { principal, params, query }) => ({
    json: await readStatement(deps, principal.brain, checkId(params.id), query),
  })),
  defineBinding(listStatements, async (deps, { principal, query }) => ({
    json: await listStatementPage(deps, principal.brain, query),
  })),
]
