import { createHash } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import { UndoMap } from '../../shared/undo.ts'
import type { Queryable } from '../../storage/database.ts'
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

const rowsAtOnce = 1_000

type Ending = { stateVersion: number; at: string; change: string }

/** The documents that a group of changes touches, and what the changes make of them. */
export class DocumentDraft {
  readonly #newest = new UndoMap<string, DocumentVersion>()
  readonly #made = new UndoMap<string, NewDocumentVersion>()
  readonly #ended = new UndoMap<string, DocumentVersion>()

  /** The newest version of a document, which has ended where the document was retired. */
  newest(id: string): DocumentVersion | undefined {
    return this.#newest.get(id)
  }

  /** The version of a document that is served. */
  served(id: string): DocumentVersion | undefined {
    const newest = this.#newest.get(id)
    return newest?.toState === null ? newest : undefined
  }

  know(version: DocumentVersion): void {
    this.#newest.set(version.id, version)
  }

  /** Serves a new version and ends the one before. */
  put(version: NewDocumentVersion, ending: Ending): void {
    const before = this.served(version.id)
    if (before) this.end(before, ending, false)
    this.#newest.set(version.id, version)
    this.#made.set(versionName(version), version)
  }

  /** Ends a served version, by retirement or by the next one. */
  end(served: DocumentVersion, ending: Ending, retired: boolean): DocumentVersion {
    const end = { toState: ending.stateVersion, endedAt: ending.at, endedChange: ending.change, retired }
    const ended = { ...served, ...end }
    this.#newest.set(served.id, ended)
    const made = this.#made.get(versionName(served))
    if (made) this.#made.set(versionName(served), { ...made, ...end })
    else this.#ended.set(versionName(served), ended)
    return ended
  }

  keep(): void {
    for (const map of this.#maps()) map.keep()
  }

  rollBack(): void {
    for (const map of this.#maps()) map.rollBack()
  }

  /** Whether anything that the database holds was ended. */
  get hasEnds(): boolean {
    return this.#ended.size > 0
  }

  /** Ends, in the database, the versions that are no longer served. Comes before the insert: one is served at a time. */
  async writeEnds(tx: Queryable, brainId: number): Promise<void> {
    const rows = [...this.#ended.values()]
    if (rows.length > 0) await endDocuments(tx, brainId, rows)
  }

  /** The inserts of the versions that were made, if any: with their texts, many would be too much for one statement. */
  inserts(brainId: number): RawBuilder<unknown>[] {
    const rows = [...this.#made.values()]
    const starts = Array.from({ length: Math.ceil(rows.length / rowsAtOnce) }, (_, index) => index * rowsAtOnce)
    return starts.map((start) => insertDocuments(brainId, rows.slice(start, start + rowsAtOnce)))
  }

  #maps() {
    return [this.#newest, this.#made, this.#ended]
  }
}

const versionName = ({ id, version }: { id: string; version: number }) => `${version} ${id}`

/** Reads the newest versions of the documents that these ids name. */
export const loadDocumentDraft = async (
  tx: Queryable,
  brainId: number,
  ids: readonly string[],
): Promise<DocumentDraft> => {
  const draft = new DocumentDraft()
  const known = ids.length === 0 ? [] : await selectNewestDocuments(tx, brainId, [...new Set(ids)])
  for (const version of known) draft.know(version)
  draft.keep()
  return draft
}
