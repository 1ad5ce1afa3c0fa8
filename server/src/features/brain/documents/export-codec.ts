import { exportLines } from '@noema/contracts/exports.ts'
import { validation } from '../../../shared/errors.ts'
import { defineExportCodec } from '../versioning/export-codec.ts'
import { documentLines, insertDocuments, type NewDocumentVersion } from './queries.ts'
import { hashOf } from './write-set.ts'

/** Versions of documents with their texts in an export. */
export const documentCodec = defineExportCodec({
  name: 'document',
  select: documentLines,
  isHistory: false,
  line: exportLines.document,
  load: ({ document, text, ended }) => {
    const { id, version, hash, source, stateVersion: fromState, provenance } = document
    // A receipt pins a version by its hash, so no other text may stand under it.
    if (hashOf(text) !== hash || text.length !== document.length)
      throw validation('the text does not match its hash and length.')
    const row: NewDocumentVersion = {
      ...{ id, version, hash, fromState, document, text },
      toState: ended?.stateVersion ?? null,
      retired: ended?.retired ?? false,
      endedAt: ended?.at ?? null,
      endedChange: ended?.change ?? null,
    }
    if (ended) return { row, states: [fromState, ended.stateVersion], isPast: true }
    const address = { id, ...(source ? { source: source.name } : {}) }
    const data = { document: address, version, change: provenance.change }
    return { row, states: [fromState], isPast: false, event: { type: 'document.served', data } }
  },
  insert: insertDocuments,
})
