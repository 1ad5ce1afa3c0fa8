import type { BrainEvent } from '@noema/contracts/events.ts'
import type { ItemRef } from '../data/item-paths.ts'

/** An event as a line: its target and what happened to it. */
export type EventAddress = { kind?: string; id: string; detail?: string }

const list = (names: readonly string[]): string =>
  names.length > 4 ? `${names.slice(0, 4).join(', ')}, …` : names.join(', ')

/** Events carry identifiers and versions, never values. This describes the target for each type. */
export const toEventAddress = ({ type, data }: BrainEvent): EventAddress => {
  switch (type) {
    case 'record.accepted':
      return {
        ...data.record,
        detail: [data.operation, list([...data.fields, ...data.links])].filter(Boolean).join(': '),
      }
    case 'record.deleted':
      return data.record
    case 'statement.asserted':
      return { id: data.statement.id, detail: `${data.predicate}, ${data.subject.kind} ${data.subject.id}` }
    case 'statement.retracted':
      return data.statement
    case 'document.served':
      return { id: data.document.id, detail: `version ${data.version}` }
    case 'document.retired':
      return data.document
    case 'schema.evolved':
      return { id: `schema ${data.schemaVersion}`, detail: `after ${data.previousSchemaVersion}` }
    case 'change.staged':
    case 'change.published':
      return { id: data.change }
    case 'change.decided':
      return { id: data.change, detail: `${data.decision}, ${data.application}` }
    case 'availability.changed':
      return { id: data.to, detail: `was ${data.from}` }
    case 'snapshot.planned':
    case 'snapshot.applied':
      return { id: data.snapshot, detail: data.source }
    case 'date.reached':
      return { ...data.record, detail: `${data.field} ${data.offset}` }
  }
}

/** The first word of a type, which determines its color: `record`, `document`, … */
export const toFamily = (type: BrainEvent['type']): string => type.split('.')[0] ?? ''

/** The item that an event created a version of. */
export const toItemRef = ({ type, data }: BrainEvent): ItemRef | undefined => {
  if (type === 'record.accepted') return { type: 'record', id: data.record.id }
  if (type === 'statement.asserted') return { type: 'statement', id: data.statement.id }
  return type === 'document.served' ? { type: 'document', id: data.document.id } : undefined
}
