import { z } from 'zod'
import { availability } from './brains.ts'
import { application, decision } from './changes.ts'
import { cursor, pageQuery, stateVersion, timestamp, wholeNumber } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { type EventType, eventTypes } from './event-types.ts'
import { recordRef } from './records.ts'

const change = z.string()
const names = z.array(z.string())
const documentRef = z.object({ id: z.string(), source: z.string().optional() })
const snapshotData = { source: z.string(), snapshot: z.string(), planRevision: z.int() }

/**
 * The data of each event type: ids and versions, never values or text.
 * `stateVersion` is present if the event belongs to one; `change` is the id that /changes uses.
 */
export const eventData = {
  'record.accepted': z.object({
    record: recordRef,
    operation: z.enum(['created', 'updated']),
    fields: names,
    links: names,
    retypedFrom: z.string().optional(),
    change,
    stateVersion: stateVersion.optional(),
  }),
  'record.deleted': z.object({ record: recordRef, change, stateVersion: stateVersion.optional() }),
  'statement.asserted': z.object({
    statement: z.object({ id: z.string() }),
    predicate: z.string(),
    subject: recordRef,
    change,
    stateVersion: stateVersion.optional(),
  }),
  'statement.retracted': z.object({
    statement: z.object({ id: z.string() }),
    change,
    stateVersion: stateVersion.optional(),
  }),
  'document.served': z.object({ document: documentRef, version: z.int(), change }),
  'document.retired': z.object({ document: documentRef, change }),
  'schema.evolved': z.object({ schemaVersion: z.int(), previousSchemaVersion: z.int() }),
  'change.staged': z.object({ change, supersedes: z.string().optional() }),
  'change.decided': z.object({ change, decision, application }),
  'change.published': z.object({ change, stateVersion: stateVersion.optional() }),
  'availability.changed': z.object({ from: availability, to: availability }),
  'snapshot.planned': z.object(snapshotData),
  'snapshot.applied': z.object({ ...snapshotData, reviewChange: z.string().optional() }),
  'date.reached': z.object({ record: recordRef, field: z.string(), offset: z.string(), dueAt: timestamp }),
} as const satisfies Record<EventType, z.ZodType>

const eventVariants = eventTypes.map((type) =>
  z.object({ cursor, type: z.literal(type), occurredAt: timestamp, data: eventData[type] }),
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

/**
 * Reads a Brain's events in commit order, without gaps, from the beginning, after a cursor, or from the `newest` so many on. The page's cursor moves past everything that was examined, also
 * events of other `types`; `hasMore` false means that there are no more committed events.
 */
export const listEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/events',
  summary: 'Read the event stream, by page or as a live tail',
  access: { capabilities: ['read'] },
  query: z.object({
    ...pageQuery,
    newest: wholeNumber('newest is a whole number from 0 to 500.', { min: 0, max: 500 }).optional().meta({
      description:
        'Begin so many events before the end of the stream, 0 for what is still to come. Nothing beside `after`',
    }),
    types: typeList.optional().meta({ description: 'Comma-separated event types' }),
  }),
  errors: ['stale_cursor'],
  status: [200],
  list: 'events',
  tail: true,
  result: z.object({
    events: z.array(z.union(eventVariants as [(typeof eventVariants)[number]]) as unknown as z.ZodType<BrainEvent>),
    cursor,
    hasMore: z.boolean(),
  }),
})
