/** Every event type, in the order of the stream's specification, for those who list them and load no schemas. */
export const eventTypes = [
  'record.accepted',
  'record.deleted',
  'statement.asserted',
  'statement.retracted',
  'document.served',
  'document.retired',
  'schema.evolved',
  'change.staged',
  'change.decided',
  'change.published',
  'availability.changed',
  'snapshot.planned',
  'snapshot.applied',
  'date.reached',
] as const

export type EventType = (typeof eventTypes)[number]
