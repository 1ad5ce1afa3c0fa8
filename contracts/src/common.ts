import { z } from 'zod'
import { forModels } from './for-models.ts'

/** 16 MiB: the maximum body of document and batch writes. Everywhere else it is 1 MiB. */
export const largeBodyLimit = 16 * 1024 * 1024

/** The id of anything. */
export const itemId = z.string().describe('The id. It never changes.')

/** A name for people to read. */
export const displayName = z.string().describe('The name, for people.')

/** The answer to a deletion. */
export const deleted = z.literal(true).describe('True: it is gone.')

/** The answer to a deletion that has nothing more to report. */
export const deletedResult = z.object({ deleted }).describe('The answer to a deletion.')

/** The number of a version, counted from 1. */
export const itemVersion = z.int().min(1).describe('The version. Each change to the item makes the next one.')

/** An email address in an answer. */
export const emailAddress = z.string().describe('The email address.')

/** ISO 8601 in UTC to the ms, the format of times in all responses: `2026-03-01T12:00:00.000Z`. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ id: 'Timestamp', description: 'ISO 8601 in UTC to the ms' })

/** A time given by a caller: ISO 8601 with `Z` or a numeric offset, any precision. Returned in UTC with milliseconds. */
export const timeInput = z.iso
  .datetime({
    offset: true,
    error: 'Expected an ISO 8601 date-time with Z or an offset, such as 2026-03-01T12:00:00Z.',
  })
  .transform((text) => new Date(text).toISOString())
  // Beyond these years ISO 8601 needs more digits, and PostgreSQL knows no year 0.
  .refine((text) => /^(?!0000)\d{4}-/.test(text), 'A time lies within the years 1 to 9999, in UTC.')

/** When an item expires: `null` clears it. */
export const expiresAtInput = timeInput
  .nullable()
  .optional()
  .meta(forModels('When it is deleted or retired by itself; null: never'))

/** When an item expires. */
export const expiresAt = timestamp.optional().describe('When it is deleted or retired by itself; absent if never.')

/**
 * Any JSON value. The body has been parsed from JSON already, so there is nothing left to check: walking it again would take
 * seconds for a large body, and its schema would have to refer to itself.
 */
export const json = z
  .custom<z.core.util.JSONType>((value) => value !== undefined, 'Expected a JSON value.')
  .meta(forModels('Any JSON value'))

/** The name of a record's field: any text of 1 to 128 characters. */
export const fieldName = z
  .string()
  .min(1, 'A field name has 1 to 128 characters.')
  .max(128, 'A field name has 1 to 128 characters.')

/** A position in a list or stream. Opaque: keep it, send it back as `after`, never build or parse one. */
export const cursor = z.string().min(1).meta({ id: 'Cursor', description: 'Opaque; send it back as `after`' })

/** A whole number in a query, where everything is text. */
export const wholeNumber = (rule: string, range: { min: number; max: number }) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^-?\d{1,15}$/, rule)
          .transform(Number),
      ],
      { error: rule },
    )
    .pipe(z.int(rule).min(range.min, rule).max(range.max, rule))

/** `limit` of a list: 1 to 500, default 100. */
export const limit = wholeNumber('limit is a whole number from 1 to 500.', { min: 1, max: 500 })
  .default(100)
  .describe('The maximum number of items of the page.')

/** The parameters `after` and `limit` of everything that has pages. */
export const pageQuery = { after: cursor.optional().describe('The `cursor` of an answer, to continue after it'), limit }

/** The order of a list: by its ids (or the names it is ordered by), or from the last to the first. Ids are time-ordered. */
export const listOrder = z
  .enum(['asc', 'desc'], { error: 'order is asc or desc.' })
  .default('asc')
  .meta(forModels('desc: newest first. A cursor continues in the order that it was given in'))
export type ListOrder = z.output<typeof listOrder>

/** The query of every list. Only the stream of events has a fixed order. */
export const listQuery = { ...pageQuery, order: listOrder }

/** Rows that a search through a list looks at for one page: so many, and so many bytes as they are stored. */
export const maxSearched = 2_000

/**
 * `text` of a list: words, each of which an item must have. The list is searched in its order, a bounded number of items for each
 * page, so a page may have fewer than `limit` items, or none, while `hasMore` is true.
 */
export const searchedText = z
  .string()
  .trim()
  .min(1, 'text is one word or more.')
  .max(200, 'text has at most 200 characters. Send the words that matter.')
  .optional()

/** `from` and `until` of a list, by the time at which its items were made. */
export const timeRange = {
  from: timeInput.optional().describe('Only items that were made at or after this time.'),
  until: timeInput.optional().describe('Only items that were made before this time.'),
}

/** 16 MiB: a page ends early, with `hasMore`, before its items have more JSON text; one item is always returned. */
export const maxPageBytes = 16 * 1024 * 1024

/** The properties of every page besides its items: where to continue, and whether there is more. */
export const pageResult = {
  cursor,
  hasMore: z.boolean().meta({ id: 'HasMore', description: 'True if there is more after this page.' }),
}

/** The state of a Brain after its nth change. Each applied change makes the next one. */
export const stateVersion = z
  .int()
  .min(0)
  .meta({ id: 'StateVersion', description: 'The Brain state that this belongs to' })

/**
 * `asOf`: read the Brain as it was at this stateVersion. A page of a list may then have fewer than `limit` items while `hasMore`
 * is true: it passes a bounded number of items that were written later.
 */
export const asOf = wholeNumber('asOf is a stateVersion: a whole number, 0 or more.', {
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
})
  .optional()
  .describe('Read the Brain as it was at this stateVersion.')

/** A pending change to read a Brain with. Reads with it need `review` as well as `read`, and are refused together with `asOf`. */
export const withChange = z.string().min(1).max(100).optional().describe('A pending change to read with. Needs review.')

/** The pending change that a read was made with. With `blockedBy`, publishing it now would be blocked. */
export const preview = z
  .object({
    change: z.string().describe('The id of the pending change.'),
    blockedBy: z.string().optional().describe('Why publishing it now would be blocked.'),
  })
  .optional()
  .meta({ id: 'Preview', description: 'The pending change that this was read with' })

/** The state that a read is of: the current one, an earlier one, or the next one with a pending change. */
export const stateQuery = { asOf, change: withChange }

/** The state that a read was of. */
export const stateResult = { stateVersion, preview }

/** The id of a record or document. An id given by the caller is kept unchanged. */
export const contentId = z
  .string()
  .min(1, 'An id has 1 to 200 characters.')
  .max(200, 'An id has 1 to 200 characters.')
  .refine((id) => !id.startsWith('$ref:'), 'An id cannot begin with "$ref:", which names results inside a batch.')
  .describe('The id. It never changes.')

/** Adds the rule for ids of what is new. Clients take `.` and `..` out of a URL, so no path would lead to it. */
export const toNewId = (id: z.ZodString): z.ZodString =>
  id.refine(
    (text) => text !== '.' && text !== '..',
    'An id cannot be "." or "..": clients take them out of a URL. Choose another.',
  )

/** The id of a new record, statement or document. */
export const newContentId = toNewId(contentId)

/** The key under which a repeated call gets the first response: 1 to 255 visible ASCII characters. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'An idempotency key has 1 to 255 visible ASCII characters.')
  .describe('A key of your choice. A repeat with the same key does nothing twice.')

/** The person's level of trust in the content. */
export const trust = z
  .enum(['trusted', 'unverified'])
  .describe('Whether a person vouches for it: `trusted`, or `unverified`.')

export const provenanceInput = z
  .object({
    source: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('The origin in your own words, such as a file name or a system.'),
    receipt: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The receipt of the read that led to this write. It must belong to the same Brain.'),
    trust: trust.optional(),
  })
  .describe(
    'The origin of the knowledge, by its writer. A `receipt` must be one of the same Brain. `trusted` is ' +
      'for people to say: with a management key or a session; to a Brain key it is 400.',
  )

export const actor = z
  .object({
    type: z.enum(['key', 'session', 'run', 'system']).describe('The type.'),
    id: itemId,
    userId: z.string().optional().describe('The id of the user.'),
    runId: z.string().optional().describe('The id of the run.'),
  })
  .describe(
    'Who did something: a key, the session of a person (`id` is then the id of the user), a run, or the service ' +
      'itself. `userId` is the person behind it, where one is known.',
  )
export type ActorSummary = z.infer<typeof actor>

export const provenance = z
  .object({
    change: z.string().describe('The id of the change that made this version.'),
    key: z.string().describe('The id of the key, or of the `actor`'),
    actor: actor.optional().describe('Who wrote it, if that was not a key'),
    source: z.string().optional().describe('The origin, as the writer named it.'),
    receipt: z.string().optional().describe('The receipt of the read that led to this write.'),
    trust: trust.optional(),
  })
  .describe('The origin of a version: the change and the key that made it, and what the writer said about its source.')
export type Provenance = z.infer<typeof provenance>
