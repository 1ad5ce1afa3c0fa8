import { exportLines } from '@noema/contracts/exports.ts'
import { validation } from '../../../shared/errors.ts'
import { defineContentCodec, toVersion } from '../../kernel/versioning/content-codec.ts'
import { servedEvent } from './apply.ts'
import { documentTable } from './document-queries.ts'
import { sha256 } from './hash.ts'

/** Versions of documents with their texts in an export. */
export const documentCodec = defineContentCodec(documentTable, {
  line: exportLines.document,
  read: ({ document, text, ended }) => {
    // A receipt identifies a version by its hash, so no other text may have it.
    if (sha256(text) !== document.hash || text.length !== document.length)
      throw validation('the text does not match its hash and length.')
    return { ...toVersion(document, document.version, ended, ended?.retired), text }
  },
  toEvent: servedEvent,
})
