import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '@noema/contracts/batch.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import { notFound } from '../../../shared/errors.ts'
import { type Applying, checkVersion } from '../records/records.ts'
import { toProvenance } from '../versioning/provenance.ts'
import type { DocumentVersion, ServedDocument } from './queries.ts'
import { addressOfHash, contentAddress, type DocumentWrites, hashOf } from './write-set.ts'

type Put = Extract<Operation, { op: 'document.put' }>

/** What a document is besides its text. */
export type DocumentDetails = Omit<Put, 'op' | 'text' | 'ref' | 'ifMatch'>

/** What an operation did: the version after it, the events to emit (none where nothing changed), whether it made it. */
export type DocumentOutcome = { version: DocumentVersion; events: NewEvent[]; created: boolean }

const detailsOf = (given: DocumentDetails) => ({
  title: given.title ?? null,
  contentType: given.contentType ?? 'text/plain',
  source: given.source ?? null,
  metadata: given.metadata ?? {},
  occurredAt: given.occurredAt ?? null,
  sequence: given.sequence ?? null,
})

/**
 * Whether serving this would change nothing: the same text, and no detail that was sent differs. A document that is
 * addressed by its content is its text alone, so equal texts collapse whatever else they say (KNO-04).
 */
export const changesNothing = (served: ServedDocument, given: DocumentDetails, hash: string): boolean => {
  if (served.hash !== hash) return false
  if (served.id === addressOfHash(hash)) return true
  const details = detailsOf(given)
  const sent = (Object.keys(details) as (keyof typeof details)[]).filter((name) => given[name] !== undefined)
  return sent.every((name) => isDeepStrictEqual(served[name], details[name]))
}

const addressOf = ({ id, source }: ServedDocument) => ({ id, ...(source ? { source: source.name } : {}) })

/** Serves a document: a new one, a new version, or nothing where nothing differs. */
export const applyPut = (writes: DocumentWrites, given: Put, applying: Applying): DocumentOutcome => {
  const hash = hashOf(given.text)
  const id = given.id ?? contentAddress(given.text)
  const served = writes.current(id)
  checkVersion(`Document ${JSON.stringify(id)}`, given.ifMatch, served?.version ?? null)
  if (served && changesNothing(served.document, given, hash)) return { version: served, events: [], created: false }
  const document: ServedDocument = {
    id,
    version: (writes.newest(id)?.version ?? 0) + 1,
    hash,
    ...detailsOf(given),
    length: given.text.length,
    stateVersion: applying.stateVersion,
    provenance: toProvenance(given.provenance, applying),
    createdAt: served?.document.createdAt ?? applying.at,
    updatedAt: applying.at,
  }
  const open = { toState: null, retired: false, endedAt: null, endedChange: null }
  const version = { id, version: document.version, hash, fromState: applying.stateVersion, ...open, document }
  writes.put({ ...version, text: given.text }, applying)
  const data = { document: addressOf(document), version: document.version, change: applying.change }
  return { version, events: [{ type: 'document.served', data }], created: !served }
}

/** Retires a served document. One that is retired already stays as it is. */
export const applyRetirement = (
  writes: DocumentWrites,
  given: { id: string; ifMatch?: number | undefined },
  applying: Applying,
): DocumentOutcome => {
  const newest = writes.newest(given.id)
  if (!newest) throw notFound(`There is no document ${JSON.stringify(given.id)}.`)
  if (newest.toState !== null) return { version: newest, events: [], created: false }
  checkVersion(`Document ${JSON.stringify(given.id)}`, given.ifMatch, newest.version)
  const version = writes.end(newest, applying, { retired: true })
  const data = { document: addressOf(newest.document), change: applying.change }
  return { version, events: [{ type: 'document.retired', data }], created: false }
}
