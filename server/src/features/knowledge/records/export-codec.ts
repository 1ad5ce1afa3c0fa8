import type { NewEvent } from '@noema/contracts/events.ts'
import { exportLines } from '@noema/contracts/exports.ts'
import { defineContentCodec, toVersion } from '../../kernel/versioning/content-codec.ts'
import { compareRecords } from '../record-parts/record-parts.ts'
import { type RecordVersion, recordTable } from './record-queries.ts'

/** The event of an imported record: created, with everything that it has. */
const toEvent = ({ content }: RecordVersion): NewEvent => {
  const { id, kind, provenance, stateVersion } = content
  const { named } = compareRecords(undefined, content)
  const data = {
    record: { id, kind },
    operation: 'created' as const,
    ...named,
    change: provenance.change,
    stateVersion,
  }
  return { type: 'record.accepted', data }
}

/** Versions of records in an export. */
export const recordCodec = defineContentCodec(recordTable, {
  line: exportLines.record,
  read: ({ record, ended }) => ({
    ...toVersion(record, record.version, ended, ended?.deleted),
    survivor: ended?.mergedInto ?? null,
  }),
  toEvent,
})
