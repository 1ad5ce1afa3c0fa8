import { z } from 'zod'
import { operation } from './batch.ts'
import { brain, brainMode, reviewRules } from './brains.ts'
import { application, changeTarget, decision } from './changes.ts'
import { actor, contentId, provenance, stateVersion, timestamp } from './common.ts'
import { document } from './documents.ts'
import { defineEndpoint } from './endpoint.ts'
import { addErrors } from './error-codes.ts'
import { fieldName, fields, kind, link, predicate, record, recordRef, slug } from './records.ts'
import { schemaOperation } from './schema.ts'
import { duration, schemaKinds } from './schema-kinds.ts'
import { schemaOrigin } from './schemas.ts'
import { statement } from './statements.ts'

// The file that an export writes and an import reads: NDJSON, one object per line, whose only name is its type. The
// header comes first, then schemas, changes, records, statements, documents and dates, and the trailer last.

/** The name and version of the file's format, in its header. */
export const exportFormat = { format: 'noema-brain', version: 1 } as const

/** 32 MiB: the maximum line of an import. The longest line of an export has one document of at most 16 MiB. */
export const maxLineLength = 32 * 1024 * 1024

/** Where an imported Brain may stand at most: far enough from the largest numbers that no life of writing reaches them. */
const maxState = 1_000_000_000_000_000
const maxVersion = 2_000_000_000

const state = stateVersion.max(maxState)
const serial = z.int().min(1).max(maxVersion)
const changeId = z.string().min(1).max(100)
const actorId = z.string().min(1).max(200)
const longText = z.string().max(10_000)

/** The first line: the format, the Brain's settings, and whether the file contains history. */
const exportHeader = z.strictObject({
  format: z.literal(exportFormat.format),
  version: z.literal(exportFormat.version),
  history: z.boolean(),
  brain: z.strictObject({
    name: z.string().max(200).nullable(),
    purpose: z.string().max(2000).nullable(),
    mode: brainMode,
    reviewRules,
  }),
  stateVersion: state,
  schemaVersion: z.int().min(0).max(maxVersion),
})

/** A version of the schema, with the organization schema that the Brain was forked from. */
const exportedSchema = z.strictObject({
  schemaVersion: serial,
  kinds: schemaKinds,
  change: changeId.nullable(),
  createdAt: timestamp,
  baseline: schemaOrigin.extend({ version: serial }).strict().nullable(),
})

/** The schema version before the first is 0. */
const version = z.int().min(0).max(maxVersion).nullable()
const contentOperations = new Set<string>(operation.options.map(({ shape }) => shape.op.value))
const otherOperation = z.looseObject({ op: z.string().refine((op) => !contentOperations.has(op)) })

/** Who staged or decided a change; of a key that replaced another, with the first key of its line and who rotated it since. */
const exportedActor = actor
  .extend({ id: actorId, line: actorId.optional(), rotatedBy: z.array(actorId).optional() })
  .strict()

/** A change with its items: the versions before and after each, and its operation if it is not applied yet. */
const exportedChange = z.strictObject({
  id: changeId,
  decision,
  application,
  submittedBy: actorId,
  submittedByUser: actorId.nullable(),
  stagedBy: exportedActor.optional(),
  reason: longText.nullable(),
  corrects: changeId.nullable(),
  supersedes: changeId.nullable(),
  baseState: state,
  stateVersion: state.nullable(),
  items: z.array(
    z.looseObject({
      item: z.string().min(1).max(100),
      op: z.string().min(1).max(100),
      target: changeTarget.extend({ id: z.string().min(1).max(400), kind: kind.optional() }),
      base: version,
      made: version,
      operation: z.union([operation, otherOperation]).optional(),
      evolve: schemaOperation.optional(),
    }),
  ),
  decidedBy: actorId.nullable(),
  decidedByActor: exportedActor.nullish(),
  decidedAt: timestamp.nullable(),
  decisionReason: longText.nullable(),
  publishAt: timestamp.nullable(),
  blockedBy: longText.nullable(),
  createdAt: timestamp,
})

const ending = { stateVersion: state, at: timestamp, change: changeId }

const made = { stateVersion: state, provenance: provenance.extend({ change: changeId, key: actorId }) }

const exportedRecord = record
  .extend({ ...made, id: contentId, kind, slug: slug.nullable(), version: serial, fields, links: z.array(link) })
  .strict()

const exportedStatement = statement
  .omit({ version: true, retractedAt: true, retraction: true })
  .extend({ ...made, id: contentId, subject: recordRef.extend({ id: contentId, kind }), predicate })
  .extend({ confidence: z.number().min(0).max(1).nullable() })
  .strict()

const exportedDocument = document
  .omit({ status: true })
  .extend({ ...made, id: contentId, version: serial, title: z.string().max(1000).nullable() })
  .extend({ contentType: z.string().min(1).max(200) })
  .strict()

/** What ended a version: the next one, or its deletion. */
const recordEnding = z.strictObject({ ...ending, deleted: z.boolean() })

/** What ended a document's version: the next one, or its retirement. */
const documentEnding = z.strictObject({ ...ending, retired: z.boolean() })

/** What ended a version of a statement that has a next one. */
const statementEnding = z.strictObject(ending)

/** A statement's retraction, on the Brain's clock. */
const exportedRetraction = z.strictObject({ ...ending, reason: longText.nullable() })

/** A reminder of a date that a record has or had: how long before the date, and when it was sent (`emittedAt`), if it was. */
const exportedDate = z.strictObject({
  record: contentId,
  field: fieldName,
  value: timestamp,
  offset: duration,
  emittedAt: timestamp.nullable(),
})

/**
 * The last line: how many lines of each type there were, and the SHA-256 (hex) of every byte before this line. Files of 0.1.0
 * have neither schemas nor dates.
 */
const exportTrailer = z.strictObject({
  schemas: z.int().min(0).default(0),
  changes: z.int().min(0),
  records: z.int().min(0),
  statements: z.int().min(0),
  documents: z.int().min(0),
  dates: z.int().min(0).default(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'A SHA-256 has 64 of 0-9 and a-f.'),
})

/** The lines of an export by type, in their order in the file. */
export const exportLines = {
  header: z.strictObject({ header: exportHeader }),
  schema: z.strictObject({ schema: exportedSchema }),
  change: z.strictObject({ change: exportedChange }),
  record: z.strictObject({ record: exportedRecord, ended: recordEnding.optional() }),
  statement: z.strictObject({
    statement: exportedStatement,
    version: serial.default(1),
    ended: statementEnding.optional(),
    retraction: exportedRetraction.optional(),
  }),
  document: z.strictObject({
    document: exportedDocument,
    text: z.string(),
    ended: documentEnding.optional(),
  }),
  date: z.strictObject({ date: exportedDate }),
  trailer: z.strictObject({ trailer: exportTrailer }),
} as const

/** One line of an export. */
export const exportLine = z.union(Object.values(exportLines))

/**
 * Reads a whole Brain, as it is at one moment, as a stream of NDJSON (`exportLine`): its current items, or with
 * `history=true` every version, retraction and change. A file without its trailer is truncated.
 */
export const exportBrain = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/export',
  summary: 'Export a Brain as a stream of NDJSON',
  access: 'management',
  query: z.object({ history: z.stringbool().optional() }),
  ndjson: 'answer',
  status: [200],
  result: exportLine,
})

/**
 * Loads an export (NDJSON of any length, lines of at most 32 MiB) into a Brain that was never written to, all or nothing.
 * 400 names the line with the error; 409 `brain_not_empty` means that the Brain has content. The Brain gets the file's
 * name, purpose, mode, review rules and versions, and emits an event for each current item.
 */
export const importBrain = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/import',
  summary: 'Import an export into an empty Brain',
  access: 'management',
  ndjson: 'body',
  errors: [...addErrors, 'brain_not_empty'],
  status: [200],
  result: z.object({
    brain,
    imported: exportTrailer.omit({ sha256: true }),
  }),
})
