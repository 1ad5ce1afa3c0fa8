import type { NewEvent } from '@noema/contracts/events.ts'
import { exportLines } from '@noema/contracts/exports.ts'
import { defineContentCodec, toVersion } from '../../kernel/versioning/content-codec.ts'
import { findDifferences } from '../record-parts/record-parts.ts'
import { type RecordVersion, recordTable } from './record-queries.ts'

/** A current record as the stream tells of it: made, with all that it holds. */
const toEvent = ({ content }: RecordVersion): NewEvent => {
  const { id, kind, provenance, stateVersion } = content
  const { fields, links } = findDifferences(undefined, content)
  const record = { id, kind }
  const data = { record, operation: 'created' as const, fields, links, change: provenance.change, stateVersion }
  return { type: 'record.accepted', data }
}

/** Versions of records in an export. */
export const recordCodec = defineContentCodec(recordTable, {
  line: exportLines.record,
  read: ({ record, ended }) => toVersion(record, record.version, ended, ended?.deleted),
  toEvent,
})
