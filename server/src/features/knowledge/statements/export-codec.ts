import { exportLines } from '@noema/contracts/exports.ts'
import { validation } from '../../../shared/errors.ts'
import { defineContentCodec, toVersion } from '../../kernel/versioning/content-codec.ts'
import { assertedEvent } from './apply.ts'
import { toIdentity } from './identity.ts'
import { statementTable } from './statement-queries.ts'

/** Versions of statements in an export. */
export const statementCodec = defineContentCodec(statementTable, {
  line: exportLines.statement,
  read: ({ statement, version, ended, retraction }) => {
    if (ended && retraction) throw validation('a version ends by the next one or by a retraction, not by both.')
    const identity = toIdentity(statement)
    return { ...toVersion(statement, version, retraction ?? ended), identity, retraction: retraction ?? null }
  },
  toEvent: assertedEvent,
})
