import { exportLines } from '@noema/contracts/exports.ts'
import { defineExportCodec } from '../../kernel/export-lines/export-lines.ts'
import { insertChanges } from './change-row-queries.ts'
import { changeLines, type StoredChange } from './change-store.ts'

/** Changes in an export, with those that still wait: they go on waiting where the export is loaded. */
export const changeCodec = defineExportCodec({
  name: 'change',
  select: changeLines,
  isHistory: true,
  line: exportLines.change,
  load: ({ change: { submittedBy, submittedByUser, stagedBy, decidedBy, decidedByActor, ...change } }) => ({
    row: {
      ...change,
      // Files of versions before actors name keys, and the people of management keys.
      stagedBy: stagedBy ?? {
        type: 'key',
        id: submittedBy,
        ...(submittedByUser === null ? {} : { userId: submittedByUser }),
      },
      decidedBy: decidedByActor ?? (decidedBy === null ? null : { type: 'key', id: decidedBy }),
    } as unknown as StoredChange,
    isPast: true,
    states: change.stateVersion === null ? [change.baseState] : [change.baseState, change.stateVersion],
  }),
  insert: insertChanges,
})
