import { z } from 'zod'
import { corrects, writeResult } from './changes.ts'
import {
  asOf,
  contentId,
  json,
  largeBodyLimit,
  listQuery,
  pageResult,
  provenance,
  provenanceInput,
  stateVersion,
  timeInput,
  timestamp,
} from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { addErrors, writeErrors } from './error-codes.ts'

/** The system that a document was taken from, and its address there. */
export const documentSource = z.object({
  name: z.string().min(1).max(200),
  uri: z.string().max(2000).optional(),
  externalId: z.string().max(500).optional(),
})

/** Documents of one sequence are ordered by position, like the messages of a conversation. */
export const documentSequence = z.object({ id: z.string().min(1).max(200), position: z.int().min(0) })

/** One version of a document, without its text. Receipts refer to `version`. */
export const document = z.object({
  id: z.string(),
  version: z.int().min(1),
  hash: z.string().meta({ description: 'SHA-256 of the text in hex' }),
  title: z.string().nullable(),
  contentType: z.string(),
  status: z.enum(['served', 'retired']),
  source: documentSource.nullable(),
  metadata: z.record(z.string(), json),
  occurredAt: timestamp.nullable(),
  sequence: documentSequence.nullable(),
  length: z.int().meta({ description: 'Length of the text in UTF-16 code units' }),
  stateVersion,
  provenance,
  createdAt: timestamp,
  updatedAt: timestamp,
})
export type BrainDocument = z.infer<typeof document>

/** A document version with its text. */
export const documentWithText = document.extend({
  text: z.string(),
  unsearchable: z.string().optional().meta({ description: 'Why search cannot find this version, where it cannot' }),
})

/** The content of a document, in a POST or a batch. Without an id, the id is `sha256:` and the hash of the text. */
export const newDocument = z.object({
  id: contentId.optional(),
  text: z.string(),
  title: z.string().max(1000).optional(),
  contentType: z.string().min(1).max(200).optional(),
  source: documentSource.optional(),
  metadata: z.record(z.string(), json).optional(),
  occurredAt: timeInput.optional(),
  sequence: documentSequence.optional(),
  provenance: provenanceInput.optional(),
})

/**
 * Writes a document: a new one, or a new version of the one with this id. If nothing differs, nothing is written. A pending
 * write returns its id; a landed one returns its id and version to a caller without read, who gets nothing that is stored.
 */
export const putDocument = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/documents',
  summary: 'Write a document, as a new one or a new version',
  access: { capabilities: ['write'] },
  body: newDocument.extend({ corrects }),
  bodyLimit: largeBodyLimit,
  idempotencyKey: 'header',
  ifMatch: true,
  errors: addErrors,
  status: [201, 200, 202],
  result: z.object({
    ...writeResult,
    document: z.union([document, z.object({ id: z.string(), version: z.int().min(1).optional() })]),
  }),
})

/** Retires a document: current reads no longer return it; its versions can still be read by number. */
export const retireDocument = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/documents/{id}',
  summary: 'Retire a document',
  access: { capabilities: ['write'] },
  idempotencyKey: 'header',
  ifMatch: true,
  errors: writeErrors,
  status: [200, 202],
  result: z.object({ ...writeResult, document: z.object({ id: z.string() }) }),
})

/** Reads a document with its text: the current version, a numbered one (`version`), or the one at a stateVersion (`asOf`). */
export const getDocument = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/documents/{id}',
  summary: 'Read a document with its text',
  access: { capabilities: ['read'] },
  query: z.object({
    version: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'version is a whole number, 1 or more.')
      .transform(Number)
      .optional(),
    asOf,
  }),
  status: [200],
  result: z.object({ document: documentWithText, stateVersion }),
})

/** Lists current documents by id, all or of one source, without their texts. */
export const listDocuments = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/documents',
  summary: 'List documents',
  access: { capabilities: ['read'] },
  query: z.object({ source: z.string().min(1).max(200).optional(), ...listQuery, asOf }),
  status: [200],
  list: 'documents',
  result: z.object({ documents: z.array(document), ...pageResult, stateVersion }),
})

/** Lists the versions of a document, without their texts. */
export const listDocumentVersions = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/documents/{id}/versions',
  summary: 'List the versions of a document',
  access: { capabilities: ['read'] },
  query: z.object(listQuery),
  status: [200],
  list: 'versions',
  result: z.object({ versions: z.array(document), ...pageResult, stateVersion }),
})
