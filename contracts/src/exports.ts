import { z } from 'zod'
import { operation, storedOperation } from './batch.ts'
import { brain, brainMode, reviewRules } from './brains.ts'
import { changeComment, maxComments } from './change-comments.ts'
import { application, changeTarget, decision } from './changes.ts'
import { actor, contentId, fieldName, newContentId, provenance, stateVersion, timestamp } from './common.ts'
import { document } from './documents.ts'
import { defineEndpoint } from './endpoint.ts'
import { addErrors } from './error-codes.ts'
import { fields, kind, link, predicate, record, recordRef, slug } from './records.ts'
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

/** The highest stateVersion of an imported Brain: so far below the largest number that later writes never reach it. */
const maxState = 1_000_000_000_000_000
const maxVersion = 2_000_000_000

const state = stateVersion.max(maxState)
const serial = z.int().min(1).max(maxVersion)
const changeId = z.string().min(1).max(100)
const actorId = z.string().min(1).max(200)
const longText = z.string().max(10_000)

/** The first line: the format, the Brain's settings, and whether the file contains history. */
const exportHeader = z.strictObject({
  format: z.literal(exportFormat.format).describe('The kind of export.'),
  version: z.literal(exportFormat.version).describe('The version of the format.'),
  history: z.boolean().describe('Whether the export has earlier versions, too.'),
  brain: z
    .strictObject({
      name: z.string().max(200).nullable().describe('The name, for people.'),
      purpose: z.string().max(2000).nullable().describe('The purpose of the Brain, also for agents.'),
      mode: brainMode,
      reviewRules,
    })
    .describe('The Brain.'),
  stateVersion: state,
  schemaVersion: z.int().min(0).max(maxVersion).describe('The version of the schema.'),
})

/** A version of the schema, with the organization schema that the Brain was forked from. */
const exportedSchema = z.strictObject({
  schemaVersion: serial.describe('The version of the schema.'),
  kinds: schemaKinds,
  change: changeId.nullable().describe('The id of the change that made this version of the schema.'),
  createdAt: timestamp,
  baseline: schemaOrigin
    .extend({ version: serial.describe('The version of the organization schema.') })
    .strict()
    .nullable()
    .describe('The organization schema that the Brain began from; null if there is none.'),
})

/** The schema version before the first is 0. */
const version = z.int().min(0).max(maxVersion).nullable()
const contentOperations = new Set<string>(operation.options.map(({ shape }) => shape.op.value))
const otherOperation = z.looseObject({
  op: z
    .string()
    .refine((op) => !contentOperations.has(op))
    .describe('The operation.'),
})

/**
 * The actor that staged or decided a change; for a key that replaced another, with the first key of its chain and the
 * people who rotated it since.
 */
const exportedActor = actor
  .extend({
    id: actorId.describe('The id. It never changes.'),
    line: actorId.optional().describe('The id of the first key of its line, if the key replaced another.'),
    rotatedBy: z.array(actorId).optional().describe('Who has rotated the key since, by id.'),
  })
  .strict()

/** A change with its items: the versions before and after each, and its operation if it is not applied yet. */
const exportedChange = z.strictObject({
  id: changeId.describe('The id. It never changes.'),
  decision,
  application,
  submittedBy: actorId.describe('The id of the key or user that proposed it.'),
  submittedByUser: actorId.nullable().describe('The id of the user behind it; null if there is none.'),
  stagedBy: exportedActor.optional().describe('Who proposed it.'),
  reason: longText.nullable().describe('Why, for people.'),
  corrects: changeId.nullable().describe('The id of the earlier change that this one corrects.'),
  supersedes: changeId.nullable().describe('The id of the change that this one replaces.'),
  baseState: state,
  stateVersion: state.nullable().describe('The state of the Brain. Each applied change makes the next one.'),
  items: z
    .array(
      z.looseObject({
        item: z.string().min(1).max(100).describe('The id of the item within the change.'),
        op: z.string().min(1).max(100).describe('The operation.'),
        target: changeTarget
          .extend({ id: z.string().min(1).max(400).describe('The id. It never changes.'), kind: kind.optional() })
          .describe('The item that it is about.'),
        base: version.describe('The version that the item is based on; null for a new one.'),
        made: version.describe('The version that the item made; null if it is not applied.'),
        operation: z.union([storedOperation, otherOperation]).optional().describe('The operation.'),
        evolve: schemaOperation.optional().describe('The operation on the schema.'),
      }),
    )
    .describe('The items.'),
  decidedBy: actorId.nullable().describe('The id of the key or user that decided.'),
  decidedByActor: exportedActor.nullish().describe('Who decided.'),
  decidedAt: timestamp.nullable().describe('When it was decided; null until then.'),
  decisionReason: longText.nullable().describe('Why it was decided so.'),
  publishAt: timestamp.nullable().describe('When an approved change will be applied.'),
  blockedBy: longText.nullable().describe('Why an approved change could not be applied.'),
  createdAt: timestamp,
  comments: z
    .array(changeComment.extend({ by: exportedActor.describe('Who wrote it.') }).strict())
    .max(maxComments)
    .optional()
    .describe('The comments on it, if it has any.'),
})

const ending = {
  stateVersion: state,
  at: timestamp,
  change: changeId.describe('The id of the change that ended or retracted it.'),
}

/** The origin of a version, with the change that made it. */
export const exportedProvenance = provenance
  .extend({
    change: changeId.describe('The change.'),
    key: actorId.describe('The id of the key that wrote it, or of the `actor`.'),
  })
  .describe('The origin of this version.')

const made = { stateVersion: state, provenance: exportedProvenance }

const exportedRecord = record
  .extend({
    ...made,
    id: newContentId,
    kind,
    slug: slug.nullable().describe('A readable name, unique among the live records of its kind.'),
    version: serial.describe('The version. Each change to the item makes the next one.'),
    fields,
    links: z.array(link).describe('The references to other records.'),
  })
  .strict()

const exportedStatement = statement
  .omit({ version: true, retractedAt: true, retraction: true })
  .extend({
    ...made,
    id: newContentId,
    subject: recordRef.extend({ id: contentId, kind }).describe('The record that the statement is about.'),
    predicate,
  })
  .extend({
    confidence: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('How sure the writer is, from 0 to 1; null if nothing was said.'),
  })
  .strict()

const exportedDocument = document
  .omit({ status: true })
  .extend({
    ...made,
    id: newContentId,
    version: serial.describe('The version. Each change to the item makes the next one.'),
    title: z.string().max(1000).nullable().describe('The title, for people.'),
  })
  .extend({ contentType: z.string().min(1).max(200).describe('The media type of the text, such as text/markdown.') })
  .strict()

/** The end of a record's version: the next version, or its deletion. */
const recordEnding = z.strictObject({
  ...ending,
  deleted: z.boolean().describe('True if the record was deleted, false if a newer version followed.'),
  mergedInto: contentId.optional().describe('The id of the record that it was merged into, if it was.'),
})

/** The end of a document's version: the next version, or its retirement. */
const documentEnding = z.strictObject({ ...ending, retired: z.boolean().describe('True if the document was retired.') })

/** The end of a statement's version: the next version. */
const statementEnding = z.strictObject(ending)

/** A statement's retraction, on the Brain's clock. */
const exportedRetraction = z.strictObject({ ...ending, reason: longText.nullable().describe('Why, for people.') })

/** A reminder of a date that a record has or had: how long before the date, and when it was sent (`emittedAt`), if it was. */
const exportedDate = z.strictObject({
  record: contentId.describe('The id of the record.'),
  field: fieldName.describe('The name of the field.'),
  value: timestamp,
  offset: duration.describe('How long before the date the reminder comes, as an ISO 8601 duration.'),
  emittedAt: timestamp.nullable().describe('When the event about it was written; null while it is to come.'),
})

/**
 * The last line: the number of lines of each type, and the SHA-256 (hex) of every byte before this line. Files of 0.1.0
 * have neither schemas nor dates.
 */
const exportTrailer = z.strictObject({
  schemas: z.int().min(0).default(0).describe('How many versions of the schema there are.'),
  changes: z.int().min(0).describe('How many changes there are.'),
  records: z.int().min(0).describe('How many records there are.'),
  statements: z.int().min(0).describe('How many statements there are.'),
  documents: z.int().min(0).describe('How many documents there are.'),
  dates: z.int().min(0).default(0).describe('How many dates there are.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'A SHA-256 has 64 of 0-9 and a-f.')
    .describe('The SHA-256 of all lines before this one, in hexadecimal.'),
})

/** The lines of an export by type, in their order in the file. */
export const exportLines = {
  header: z.strictObject({ header: exportHeader.describe('The first line of an export.') }),
  schema: z.strictObject({ schema: exportedSchema.describe('The schema.') }),
  change: z.strictObject({ change: exportedChange.describe('The change.') }),
  record: z.strictObject({
    record: exportedRecord.describe('The record.'),
    ended: recordEnding.optional().describe('How this version ended; absent while it is current.'),
  }),
  statement: z.strictObject({
    statement: exportedStatement.describe('The statement.'),
    version: serial.default(1).describe('The version. Each change to the item makes the next one.'),
    ended: statementEnding.optional().describe('How this version ended; absent while it is current.'),
    retraction: exportedRetraction.optional().describe('The retraction of the statement; null if it is not retracted.'),
  }),
  document: z.strictObject({
    document: exportedDocument.describe('The document.'),
    text: z.string().describe('The text.'),
    ended: documentEnding.optional().describe('How this version ended; absent while it is current.'),
  }),
  date: z.strictObject({ date: exportedDate.describe('A date of a record that comes or has passed.') }),
  trailer: z.strictObject({
    trailer: exportTrailer.describe('The last line of an export, with counts and a checksum.'),
  }),
} as const

export const exportLine = z.union(Object.values(exportLines)).describe('One line of an export.')

export const exportBrain = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/export',
  summary: 'Export a Brain as a stream of NDJSON',
  description:
    'Reads a whole Brain, as it is at one moment, as a stream of NDJSON (`exportLine`): its current items, or with ' +
    '`history=true` every version, retraction and change. A file without its trailer is truncated.',
  access: 'management',
  query: z.object({ history: z.stringbool().optional().describe('Whether earlier versions are exported, too.') }),
  ndjson: 'answer',
  status: [200],
  result: exportLine,
})

export const importBrain = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/import',
  summary: 'Import an export into an empty Brain',
  description:
    'Loads an export (NDJSON of any length, lines of at most 32 MiB) into a Brain that was never written to, all or ' +
    'nothing. 400 names the line with the error; 409 `brain_not_empty` means that the Brain has content. The Brain ' +
    "gets the file's name, purpose, mode, review rules and versions, and emits an event for each current item.",
  access: 'management',
  ndjson: 'body',
  errors: [...addErrors, 'brain_not_empty'],
  status: [200],
  result: z.object({
    brain: brain.describe('The Brain.'),
    imported: exportTrailer.omit({ sha256: true }).describe('How many of each were imported.'),
  }),
})
