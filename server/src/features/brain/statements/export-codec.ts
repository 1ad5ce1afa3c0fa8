import { exportLines } from '@noema/contracts/exports.ts'
import { defineContentCodec, toVersion } from '../versioning/versioning.ts'
import { assertedEvent } from './apply.ts'
import { toIdentity } from './identity.ts'
import { statementTable } from './queries.ts'

/** Statements in an export, live or retracted. */
export const statementCodec = defineContentCodec(statementTable, {
  line: exportLines.statement,
  read: ({ statement, retraction }) => ({
    ...toVersion(statement, 1, retraction),
    identity: toIdentity(statement),
    retraction: retraction ?? null,
  }),
  toEvent: assertedEvent,
})
