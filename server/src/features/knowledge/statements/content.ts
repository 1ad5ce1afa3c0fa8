import { isDeepStrictEqual } from 'node:util'
import type { newStatement, Statement } from '@noema/contracts/statements.ts'
import type { z } from 'zod'
import { type ContentParts, keepContent, sendContent } from '../../kernel/content-parts/content-parts.ts'

type Sent = z.output<typeof newStatement>

/** Fields of a statement besides its content, and the fields of a write about its source. */
type Bookkeeping = 'id' | 'version' | 'stateVersion' | 'provenance' | 'assertedAt' | 'retractedAt' | 'retraction'

type Name = Exclude<keyof Statement | keyof Sent, Bookkeeping>

/** The content of a statement. */
export type StatementContent = Pick<Statement, Name>
type SentContent = Pick<Sent, Name>

export const statementParts: ContentParts<StatementContent, SentContent> = {
  subject: { keep: (subject) => subject, resolve: (subject, toId) => ({ ...subject, id: toId(subject.id) }) },
  predicate: { keep: (predicate) => predicate },
  object: {
    keep: (object) => object,
    resolve: (object, toId) =>
      'record' in object ? { record: { ...object.record, id: toId(object.record.id) } } : object,
  },
  validFrom: { keep: (validFrom) => validFrom ?? null },
  validTo: { keep: (validTo) => validTo ?? null },
  confidence: { keep: (confidence) => confidence ?? null },
  sources: {
    keep: (sources) => sources ?? [],
    resolve: (sources, toId) => sources?.map((source) => ({ ...source, document: toId(source.document) })),
  },
}

/** The names of a statement's content. */
export const statementContentKeys = Object.keys(statementParts) as Name[]

/** Returns the stored form of a sent statement. */
export const keepStatement = (sent: SentContent): StatementContent =>
  keepContent<StatementContent, SentContent>(statementParts, sent)

/** Details of a statement. A repeat with the same identity may change them. */
const details = ['validTo', 'confidence', 'sources'] as const

/** Applies a repeat of a statement: missing fields stay. Undefined if nothing would differ. */
export const keepRepeat = (kept: StatementContent, sent: SentContent): StatementContent | undefined => {
  const sentKept = keepStatement(sent)
  const changed = details.filter((name) => sent[name] !== undefined && !isDeepStrictEqual(kept[name], sentKept[name]))
  if (changed.length === 0) return undefined
  return { ...sentKept, ...pickDetails(kept), ...Object.fromEntries(changed.map((name) => [name, sentKept[name]])) }
}

const pickDetails = ({ validTo, confidence, sources }: StatementContent) => ({ validTo, confidence, sources })

/** Returns the write that restores a statement's content, whatever its current one is. */
export const restoreStatement = (kept: StatementContent): SentContent => ({
  ...sendStatement(kept),
  ...pickDetails(kept),
})

/** A statement's content as it would be sent. */
export const sendStatement = (kept: StatementContent): SentContent =>
  sendContent<SentContent>(statementContentKeys, kept)
