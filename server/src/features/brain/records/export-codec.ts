import type { NewEvent } from '@noema/contracts/events.ts'
import { exportLines } from '@noema/contracts/exports.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import { defineExportCodec } from '../versioning/export-codec.ts'
import { insertVersions, type RecordVersion, recordLines } from './queries.ts'

/** A current record as the stream tells of it: made, with all that it holds. */
const acceptedEvent = ({ id, kind, fields, links, provenance, stateVersion }: BrainRecord): NewEvent => ({
  type: 'record.accepted',
  data: {
    record: { id, kind },
    operation: 'created',
    fields: Object.keys(fields),
    links: [...new Set(links.map(({ predicate }) => predicate))],
    change: provenance.change,
    stateVersion,
  },
})

/** Versions of records in an export. */
export const recordCodec = defineExportCodec({
  name: 'record',
  select: recordLines,
  isHistory: false,
  line: exportLines.record,
  load: ({ record, ended }) => {
    const { id, version, kind, slug, stateVersion: fromState } = record
    const row: RecordVersion = {
      ...{ id, version, kind, slug, fromState, record },
      toState: ended?.stateVersion ?? null,
      deleted: ended?.deleted ?? false,
      endedAt: ended?.at ?? null,
      endedChange: ended?.change ?? null,
    }
    const states = ended ? [fromState, ended.stateVersion] : [fromState]
    return ended ? { row, states, isPast: true } : { row, states, isPast: false, event: acceptedEvent(record) }
  },
  insert: insertVersions,
})
