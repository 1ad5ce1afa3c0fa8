import { exportLines } from '@noema/contracts/exports.ts'
import { defineExportCodec } from '../versioning/export-codec.ts'
import { insertStatements, type StatementRow, statementLines } from './queries.ts'
import { identityOf } from './write-set.ts'

/** Statements in an export, live or retracted. */
export const statementCodec = defineExportCodec({
  name: 'statement',
  select: statementLines,
  isHistory: false,
  line: exportLines.statement,
  load: ({ statement, retraction = null }) => {
    const { id, subject, predicate, stateVersion, provenance } = statement
    const toState = retraction?.stateVersion ?? null
    const row: StatementRow = {
      id,
      identity: identityOf(statement),
      fromState: stateVersion,
      toState,
      statement,
      retraction,
    }
    if (retraction) return { row, states: [stateVersion, retraction.stateVersion], isPast: true }
    const data = { statement: { id }, predicate, subject, change: provenance.change, stateVersion }
    return { row, states: [stateVersion], isPast: false, event: { type: 'statement.asserted', data } }
  },
  insert: insertStatements,
})
