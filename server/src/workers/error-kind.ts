import { ApiError } from '../shared/errors.ts'
import { isDatabaseUnavailable } from '../storage/database-errors.ts'

/** Classifies an error in one word that may be shown, never its text. */
export const toErrorKind = (error: unknown): string => {
  if (error instanceof ApiError) return error.kind
  if (isDatabaseUnavailable(error)) return 'database_unavailable'
  // An error of the database has a code of five letters and digits (SQLSTATE).
  if (error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code))) return `sql_${error.code}`
  return error instanceof Error ? error.name : 'unknown'
}
