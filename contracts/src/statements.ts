import { z } from 'zod'
import { corrects, writeResult } from './changes.ts'
import {
  asOf,
  contentId,
  json,
  listQuery,
  pageResult,
  provenance,
  provenanceInput,
  stateVersion,
  timeInput,
  timestamp,
} from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { statementErrors, writeErrors } from './error-codes.ts'
import { predicate, recordRef } from './records.ts'

/** The object of a statement: another record, or a plain value. */
export const statementObject = z.union([z.strictObject({ record: recordRef }), z.strictObject({ value: json })], {
  error: 'object is { record: { id, kind } } or { value }.',
})

/** A document that supports a statement, with the version and the words that were read. */
export const statementSource = z.object({
  document: z.string().min(1).max(200),
  version: z.int().min(1).optional(),
  quote: z.string().max(5000).optional(),
})

/**
 * A claim about a record, on two timelines: `validFrom`/`validTo` in the world, `assertedAt`/`retractedAt` in the Brain.
 * Asserting it again with another `validTo`, `confidence` or `sources` makes its next version: `assertedAt`, `provenance` and
 * `stateVersion`, the Brain state in which that was asserted, are those of the version.
 */
export const statement = z.object({
  id: z.string(),
  version: z.int().min(1),
  subject: recordRef,
  predicate: z.string(),
  object: statementObject,
  validFrom: timestamp.nullable(),
  validTo: timestamp.nullable(),
  confidence: z.number().nullable(),
  sources: z.array(statementSource),
  stateVersion,
  provenance,
  assertedAt: timestamp,
  retractedAt: timestamp.nullable(),
  retraction: z.object({ stateVersion, change: z.string(), reason: z.string().nullable() }).nullable(),
})
export type Statement = z.infer<typeof statement>

/**
 * The content of a statement to assert, in a POST or a batch. Where a live one has the same subject, predicate, object and
 * `validFrom`, what is left out stays as it is, and `validTo` or `confidence` null takes that away.
 */
export const newStatement = z.object({
  id: contentId.optional(),
  subject: recordRef,
  predicate,
  object: statementObject,
  validFrom: timeInput.optional(),
  validTo: timeInput.nullable().optional(),
  confidence: z.number().min(0).max(1).nullable().optional(),
  sources: z.array(statementSource).max(100).optional(),
  provenance: provenanceInput.optional(),
})

/**
 * Asserts a statement. A live one with the same subject, predicate, object and `validFrom` is the same statement: it is
 * returned, and another `validTo`, `confidence` or `sources` makes its next version. So a live statement is ended in the world
 * by its `validTo`. A pending write returns its id; a caller without read gets id and version, and nothing else that is
 * stored.
 */
export const assertStatement = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/statements',
  summary: 'Assert a statement',
  access: { capabilities: ['write'] },
  body: newStatement.extend({ corrects }),
  idempotencyKey: 'header',
  errors: statementErrors,
  status: [201, 200, 202],
  result: z.object({
    ...writeResult,
    statement: z.union([statement, z.object({ id: z.string(), version: z.int().optional() })]),
  }),
})

/** Retracts a statement. It can still be read with `retracted=true` or `asOf`. */
export const retractStatement = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/statements/{id}',
  summary: 'Retract a statement',
  access: { capabilities: ['write'] },
  body: z.object({ reason: z.string().max(2000).optional(), corrects }),
  bodyOptional: true,
  idempotencyKey: 'header',
  errors: writeErrors,
  status: [200, 202],
  result: z.object({ ...writeResult, statement: z.object({ id: z.string() }) }),
})

/** Reads a statement, now or `asOf` an earlier stateVersion. A retracted one is read with `retracted=true`. */
export const getStatement = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/statements/{id}',
  summary: 'Read a statement',
  access: { capabilities: ['read'] },
  query: z.object({ retracted: z.stringbool().optional(), asOf }),
  status: [200],
  result: z.object({ statement, stateVersion }),
})

/** Lists statements by id: of a subject, a predicate, or a record that is their object; valid at a time, or the retracted ones (`retracted=true`). */
export const listStatements = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/statements',
  summary: 'List statements',
  access: { capabilities: ['read'] },
  query: z.object({
    subject: contentId.optional(),
    predicate: predicate.optional(),
    object: contentId.optional().meta({ description: 'The id of a record: statements that it is the object of' }),
    validAt: timeInput.optional(),
    retracted: z.stringbool().optional(),
    ...listQuery,
    asOf,
  }),
  status: [200],
  list: 'statements',
  result: z.object({ statements: z.array(statement), ...pageResult, stateVersion }),
})
