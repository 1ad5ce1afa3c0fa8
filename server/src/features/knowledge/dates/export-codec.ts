import { exportLines } from '@noema/contracts/exports.ts'
import { validation } from '../../../shared/errors.ts'
import { defineExportCodec } from '../../kernel/export-lines/export-lines.ts'
import { dateLines, insertReminders } from './reminder-queries.ts'
import { momentBefore } from './reminders.ts'

/** Reminders of dates in an export: sent ones, which are never sent again, and future ones. */
export const dateCodec = defineExportCodec({
  name: 'date',
  select: dateLines,
  isHistory: false,
  line: exportLines.date,
  load: ({ date: { record, ...date } }) => {
    const dueAt = momentBefore(date.value, date.offset)
    // The years that PostgreSQL and four digits have in common.
    if ([date.value, dueAt, date.emittedAt].some((time) => time !== null && !/^(?!0000)\d{4}-/.test(time)))
      throw validation('its times are outside the years 1 to 9999.')
    return { row: { ...date, recordId: record, dueAt }, states: [], isPast: false }
  },
  insert: insertReminders,
})
