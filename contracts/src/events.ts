import { z } from 'zod'
import { availability } from './brains.ts'
import { application, decision } from './changes.ts'
import { cursor, itemId, pageQuery, stateVersion, timestamp, wholeNumber } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { type EventType, eventTypes } from './event-types.ts'
import { forModels } from './for-models.ts'
import { recordRef } from './records.ts'

const change = z.string()
const names = z.array(z.string())
const documentRef = z.object({ id: itemId, source: z.string().optional().describe('Where the text comes from.') })
const snapshotData = {
  source: z.string().describe('The name of the source.'),
  snapshot: z.string().describe('The snapshot.'),
  planRevision: z.int().describe('The revision of the plan. Send it back to apply exactly this plan.'),
}

/**
 * The data of each event type: ids and versions, never values or text.
 * `stateVersion` is present if the event belongs to one; `change` is the id that /changes uses.
 */
export const eventData = {
  'record.accepted': z.object({
    record: recordRef.describe('The record.'),
    operation: z.enum(['created', 'updated']).describe('Whether the record was created or updated.'),
    fields: names.describe('The names of the fields that changed.'),
    links: names.describe('The predicates of the links that changed.'),
    retypedFrom: z.string().optional().describe('The kind that the record had before.'),
    change: change.describe('The change.'),
    stateVersion: stateVersion.optional(),
  }),
  'record.deleted': z.object({
    record: recordRef.describe('The record.'),
    mergedInto: z.string().optional().describe('The id of the record that it was merged into, if it was.'),
    change: change.describe('The change.'),
    stateVersion: stateVersion.optional(),
  }),
  'statement.asserted': z.object({
    statement: z.object({ id: itemId }).describe('The statement.'),
    predicate: z.string().describe('The name of the relation.'),
    subject: recordRef.describe('The record that the statement is about.'),
    change: change.describe('The change.'),
    stateVersion: stateVersion.optional(),
  }),
  'statement.retracted': z.object({
    statement: z.object({ id: itemId }).describe('The statement.'),
    change: change.describe('The change.'),
    stateVersion: stateVersion.optional(),
  }),
  'document.served': z.object({
    document: documentRef.describe('The document.'),
    version: z.int().describe('The version. Each change to the item makes the next one.'),
    change: change.describe('The change.'),
  }),
  'document.retired': z.object({
    document: documentRef.describe('The document.'),
    change: change.describe('The change.'),
  }),
  'schema.evolved': z.object({
    schemaVersion: z.int().describe('The version of the schema.'),
    previousSchemaVersion: z.int().describe('The version of the schema before.'),
  }),
  'change.staged': z.object({
    change: change.describe('The change.'),
    supersedes: z.string().optional().describe('The id of the change that this one replaces.'),
  }),
  'change.decided': z.object({ change: change.describe('The change.'), decision, application }),
  'change.published': z.object({ change: change.describe('The change.'), stateVersion: stateVersion.optional() }),
  'availability.changed': z.object({
    from: availability.describe('The availability before.'),
    to: availability.describe('The availability now.'),
  }),
  'snapshot.planned': z.object(snapshotData),
  'snapshot.applied': z.object({
    ...snapshotData,
    reviewChange: z.string().optional().describe('The id of the change that waits for review.'),
  }),
  'date.reached': z.object({
    record: recordRef.describe('The record.'),
    field: z.string().describe('The name of the field.'),
    offset: z.string().describe('How long before the date the reminder comes, as an ISO 8601 duration.'),
    dueAt: timestamp,
  }),
} as const satisfies Record<EventType, z.ZodType>

const eventVariants = eventTypes.map((type) =>
  z.object({
    cursor,
    type: z.literal(type).describe('The type.'),
    occurredAt: timestamp,
    data: eventData[type].describe('The details. Their properties depend on the type.'),
  }),
)

/** An event without its position in the stream, as a feature emits it. */
export type NewEvent = { [T in EventType]: { type: T; data: z.infer<(typeof eventData)[T]> } }[EventType]

/** An event of a Brain's stream. */
export type BrainEvent = { cursor: string; occurredAt: string } & NewEvent

const typeList = z.string().transform((text, context) => {
  const given = text.split(',').map((name) => name.trim())
  const unknown = given.filter((name) => !Object.hasOwn(eventData, name))
  if (unknown.length > 0) {
    context.addIssue({
      code: 'custom',
      message: `Unknown event type ${unknown.map((name) => JSON.stringify(name)).join(', ')}; known are ${eventTypes.join(', ')}.`,
    })
    return z.NEVER
  }
  return given as EventType[]
})

/** An event of a Brain's stream, by its type. */
export const brainEvent = (
  z.union(eventVariants as [(typeof eventVariants)[number]]) as unknown as z.ZodType<BrainEvent>
).describe('What happened in a Brain, at a position of its stream.')

export const listEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/events',
  summary: 'Read the event stream, by page or as a live tail',
  description:
    "Reads a Brain's events in commit order, without gaps, from the beginning, after a cursor, or from the `newest` " +
    "so many on. The page's cursor moves past everything that was examined, also events of other `types`; `hasMore` " +
    'false means that there are no more committed events.',
  access: { capabilities: ['read'] },
  query: z.object({
    ...pageQuery,
    newest: wholeNumber('newest is a whole number from 0 to 500.', { min: 0, max: 500 })
      .optional()
      .meta(
        forModels(
          'Begin this many events before the end of the stream, 0 for new events only. Has no effect with `after`',
        ),
      ),
    types: typeList.optional().describe('Comma-separated event types'),
  }),
  errors: ['stale_cursor'],
  status: [200],
  list: 'events',
  tail: true,
  result: z.object({
    events: z.array(brainEvent).describe('The events of this page.'),
    cursor,
    hasMore: z.boolean().describe('True if there is more after this page.'),
  }),
})
