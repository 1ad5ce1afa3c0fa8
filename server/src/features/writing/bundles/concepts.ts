import { createHash } from 'node:crypto'
import type { newDocument } from '@noema/contracts/documents.ts'
import type { newRecord } from '@noema/contracts/records.ts'
import type { newStatement } from '@noema/contracts/statements.ts'
import type { z } from 'zod'
import { canonicalJson } from '../../../shared/text/json.ts'

// The content of a file of a bundle: the part of an item that another Brain can have, too. Its versions, times and authors are not.

export type ConceptRecord = { id: string } & z.output<typeof newRecord>
export type ConceptStatement = { id: string } & z.output<typeof newStatement>
export type ConceptDocument = { id: string } & z.output<typeof newDocument>

/** The content of a file: a record with statements about it, statements alone, or a document. */
export type Concept = {
  record?: ConceptRecord | undefined
  statements?: readonly ConceptStatement[] | undefined
  document?: ConceptDocument | undefined
}

/** The start of a hash, as files of bundles have it. */
export const sha256Start = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** A hash of the content of a file. A file whose content has another one was edited since its export. */
export const hashConcept = ({ record, statements = [], document }: Concept): string =>
  sha256Start(canonicalJson([record ?? null, statements, document ?? null]))
