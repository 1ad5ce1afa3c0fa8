import { ApiError, validation } from '../../../shared/errors.ts'

// A few bytes of a request can name megabytes of stored content, so the sizes of the rows bound what a request reads: PostgreSQL
// sums them, and sends no content where the sum is too high.

const MiB = 1024 * 1024

/** The most bytes of content that one request reads. */
export const maxLoadedBytes = 64 * MiB

/** The most bytes of content that several requests read together for one commit. */
export const maxSharedBytes = 8 * MiB

/** The most bytes of content that a request reads on the main thread if it can move to the worker for large requests. */
export const maxMovableBytes = MiB

/** Each version counts this much besides its content: it becomes objects, and rows and events of the commit. */
export const versionBytes = 1_024

/** The refusal of a request that needs more content than one commit may read. */
const tooMuchContent = () =>
  validation(
    'This needs more than 64 MiB of stored records, statements and documents at once. Split it into several requests. Before you delete a record, retract the statements about it.',
    { code: 'too_much_content' },
  )

/** True for the refusal of a request that needs too much content. */
export const isTooMuchContent = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'too_much_content'

/** A version as it was read: without content if it and the others do not fit the budget. */
export type Measured<Row> = Row & { size: number }

/** The content that may still be read for one commit. */
export type LoadBudget = { left: number }

/** Takes rows from the budget. Throws if their content was too much to be read. */
export const takeFrom = <Row extends object>(
  budget: LoadBudget,
  rows: readonly Measured<Row>[],
): readonly Measured<Row>[] => {
  for (const { size } of rows) budget.left -= size + versionBytes
  if (budget.left < 0) throw tooMuchContent()
  return rows
}
