import type { ComingDate } from '@noema/contracts/dates.ts'
import type { Db } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { type DatePosition, selectComing } from './reminder-queries.ts'

/** A future date, and its position in the list. */
export type ListedDate = { date: ComingDate; place: DatePosition }

/** Reads a page of a Brain's future reminders, in their order. */
export const listComingDates = async (
  db: Db,
  brainId: number,
  given: { from?: string | undefined; to?: string | undefined },
  page: PageRequest<DatePosition>,
): Promise<ListedDate[]> => {
  const rows = await selectComing(db, brainId, { ...given, ...page })
  return rows.map(({ recordId, kind, field, value, offset, dueAt }) => ({
    date: { record: { id: recordId, kind }, field, value, offset, dueAt },
    place: [dueAt, recordId, field, value, offset],
  }))
}
