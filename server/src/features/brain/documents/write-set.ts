import { createHash } from 'node:crypto'
import { UndoLog } from '../../../shared/undo.ts'
import type { Queryable } from '../../../storage/database.ts'
import { VersionWrites } from '../versioning/version-writes.ts'
import {
  type DocumentVersion,
  endDocuments,
  insertDocuments,
  type NewDocumentVersion,
  selectNewestDocuments,
} from './queries.ts'

/** SHA-256 of a text in hex: what tells two texts apart, and the id of a document that was sent without one. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The id of a document that was sent without one, by the hash of its text (KNO-04). */
export const addressOfHash = (hash: string): string => `sha256:${hash}`

/** The id of a document that was sent without one (KNO-04). */
export const contentAddress = (text: string): string => addressOfHash(hashOf(text))

/** The documents that a commit batch touches, and what the changes make of them. */
export class DocumentWrites extends VersionWrites<DocumentVersion, NewDocumentVersion> {
  constructor(undo = new UndoLog()) {
    // With their texts, many would be too much for one statement.
    super(undo, { insert: insertDocuments, end: endDocuments, rowsAtOnce: 1_000 })
  }
}

/** Reads the newest versions of the documents that these ids name. */
export const loadDocumentWrites = async (
  tx: Queryable,
  brainId: number,
  ids: readonly string[],
  undo?: UndoLog,
): Promise<DocumentWrites> => {
  const writes = new DocumentWrites(undo)
  const known = ids.length === 0 ? [] : await selectNewestDocuments(tx, brainId, [...new Set(ids)])
  for (const version of known) writes.know(version)
  return writes
}
