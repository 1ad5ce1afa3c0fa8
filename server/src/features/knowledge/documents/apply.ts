import type { NewEvent } from '@noema/contracts/events.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Applying, OperationOf, Outcome } from '../../kernel/versioning/types.ts'
import type { VersionWrites } from '../../kernel/versioning/version-writes.ts'
import { checkVersion, writeContent } from '../../kernel/versioning/versioning.ts'
import { type DocumentDetails, isKept, keepDocument } from './content.ts'
import type { DocumentVersion, NewDocumentVersion, ServedDocument } from './document-queries.ts'
import { hashText } from './hash.ts'

/** The write set of a commit batch for documents. */
export type DocumentWrites = { document: VersionWrites<DocumentVersion, NewDocumentVersion> }

type DocumentOutcome = Outcome<DocumentVersion>

/** Checks whether a write would change nothing: the same text, and no sent detail differs (D-33). */
export const changesNothing = (served: ServedDocument, given: DocumentDetails, hash: string): boolean =>
  served.hash === hash && isKept(served, given)

const toReference = ({ id, source }: ServedDocument) => ({ id, ...(source ? { source: source.name } : {}) })

/** Returns the event of a served version. */
export const servedEvent = ({ version, content }: DocumentVersion): NewEvent => ({
  type: 'document.served',
  data: { document: toReference(content), version, change: content.provenance.change },
})

const toOutcome = (base: number | null, version: DocumentVersion): DocumentOutcome => ({
  ...{ base, version, address: {}, view: { ...version.content, status: 'served' }, events: [], created: false },
})

/** Serves a document: a new one, a new version, or nothing where nothing differs. */
const applyPut = (
  { document }: DocumentWrites,
  given: Extract<OperationOf<'document'>, { op: 'document.put' }>,
  applying: Applying,
): DocumentOutcome => {
  const { id, text } = given
  const { at, stateVersion } = applying
  const hash = hashText(given)
  const newest = document.newest(id)
  const served = newest?.toState === null ? newest : undefined
  const base = served?.version ?? null
  if (given.ifMatch !== undefined) checkVersion(`Document ${JSON.stringify(id)}`, given.ifMatch, base)
  if (served && changesNothing(served.content, given, hash)) return toOutcome(base, served)
  const number = (newest?.version ?? 0) + 1
  const content = {
    ...{ id, version: number, hash },
    ...keepDocument(given),
    length: text.length,
    stateVersion,
    provenance: { ...given.provenance, ...applying.provenance },
    createdAt: served?.content.createdAt ?? at,
    updatedAt: at,
  }
  const { json, size } = writeContent(content)
  const version: NewDocumentVersion = {
    ...{ id, version: number, fromState: stateVersion, toState: null, endedChange: null },
    ...{ content, text, json, size: size + Buffer.byteLength(text) },
  }
  document.put(version, null, applying)
  return { ...toOutcome(base, version), events: [servedEvent(version)], created: !served }
}

/** Retires a served document. One that is retired already stays as it is. */
const applyRetirement = (
  { document }: DocumentWrites,
  { id, ifMatch }: { id: string; ifMatch?: number | undefined },
  applying: Applying,
): DocumentOutcome => {
  const newest = document.newest(id)
  if (!newest) throw notFound(`There is no document ${JSON.stringify(id)}.`)
  if (newest.toState !== null) return toOutcome(null, newest)
  if (ifMatch !== undefined) checkVersion(`Document ${JSON.stringify(id)}`, ifMatch, newest.version)
  const version = document.end(newest, applying, { isGone: true })
  const data = { document: toReference(newest.content), change: applying.change }
  return { ...toOutcome(newest.version, version), events: [{ type: 'document.retired', data }] }
}

/** Applies one operation on a document. */
export const applyDocumentOperation = (
  writes: DocumentWrites,
  operation: OperationOf<'document'>,
  applying: Applying,
): DocumentOutcome =>
  operation.op === 'document.put' ? applyPut(writes, operation, applying) : applyRetirement(writes, operation, applying)
