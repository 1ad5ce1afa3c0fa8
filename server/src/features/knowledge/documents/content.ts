import { isDeepStrictEqual } from 'node:util'
import type { BrainDocument, DocumentArtifact, newDocument } from '@noema/contracts/documents.ts'
import type { z } from 'zod'
import { type ContentParts, keepContent, sendContent } from '../../kernel/content-parts/content-parts.ts'

/** A document as it is written. The service alone names the file that its text was extracted from. */
type Sent = z.output<typeof newDocument> & { artifact?: DocumentArtifact | undefined }

/** Fields of a document besides its content, and the fields of a write about its source. */
type Bookkeeping =
  | ('id' | 'version' | 'status' | 'stateVersion' | 'provenance' | 'createdAt' | 'updatedAt')
  | ('text' | 'hash' | 'length')

type Name = Exclude<keyof BrainDocument | keyof Sent, Bookkeeping>

/** A document without its text. */
export type DocumentContent = Pick<BrainDocument, Name>

/** The fields of a sent document without its text. */
export type DocumentDetails = Pick<Sent, Name>

const documentParts: ContentParts<DocumentContent, DocumentDetails> = {
  title: { keep: (title) => title ?? null },
  contentType: { keep: (contentType) => contentType ?? 'text/plain' },
  source: { keep: (source) => source ?? null },
  artifact: { keep: (artifact) => artifact },
  metadata: { keep: (metadata) => metadata ?? {} },
  occurredAt: { keep: (occurredAt) => occurredAt ?? null },
  sequence: { keep: (sequence) => sequence ?? null },
  expiresAt: { keep: (expiresAt) => expiresAt ?? undefined },
}

/** The names of a document's content. */
export const documentContentKeys = Object.keys(documentParts) as Name[]

/** Returns the stored form of a sent document. */
export const keepDocument = (sent: DocumentDetails): DocumentContent =>
  keepContent<DocumentContent, DocumentDetails>(documentParts, sent)

/** Checks whether no sent field differs from the stored one. */
export const isKept = (kept: DocumentContent, sent: DocumentDetails): boolean => {
  const asKept = keepDocument(sent)
  return documentContentKeys.every((name) => sent[name] === undefined || isDeepStrictEqual(kept[name], asKept[name]))
}

/** A document's content as it would be sent. */
export const sendDocument = (kept: DocumentContent): DocumentDetails =>
  sendContent<DocumentDetails>(documentContentKeys, kept)
