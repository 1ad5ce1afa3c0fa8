import type { Overlay } from '../../../storage/overlaid.ts'
import { type ContentWrites, contentKinds } from '../content/content.ts'
import { followLinks } from '../records/link-rows-queries.ts'
import { followIndexes } from '../schema/write-set.ts'
import { overlayBrain, overlayEntries, overlayLinks } from './overlay-queries.ts'

// Writes that are in memory alone, as tables that reads of their Brain can look into.

/** The tables of a Brain as they would be once these writes are committed as its next state. Tables that stay as they are have none. */
export const toOverlay = (writes: ContentWrites, brainId: number, stateVersion: number): Overlay => {
  const { record, schema } = writes
  const overlay = new Map([['brains', overlayBrain(brainId, stateVersion)]])
  for (const { type, table } of contentKinds) {
    const changes = writes[type].changes()
    if (changes) overlay.set(table.name, table.overlay(brainId, changes))
  }
  const links = followLinks(record)
  if (links.made.length + links.ended.length > 0) overlay.set('record_links', overlayLinks(brainId, links))
  const entries = schema.schema.hasIndexes ? followIndexes(schema.schema, record.moves) : undefined
  if (entries && entries.made.length + entries.ended.length > 0)
    overlay.set('field_index', overlayEntries(brainId, entries))
  return overlay
}
