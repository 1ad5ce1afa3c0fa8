import { isAbortedTransactionError } from 'kysely'
import { DatabaseError } from 'pg'
import { DatabaseSilent } from './hang-watch.ts'
import { NoPrimary } from './primary.ts'
import { isOutdatedPlan } from './statement-names.ts'

// What an error of a statement says of what became of it, and of whether trying again may help.

const passingCodes = new Set([
  '53100', // the disk is full
  '53200', // out of memory
  '53300', // too many connections
  '58030', // the disk failed
  '55P03', // lock timeout
  '57014', // statement timeout
  '40001', // serialization failure
  '40P01', // deadlock
  '25006', // read-only: a standby during a switch-over
  '25P01', // a transaction is gone
  '25P02', // or is of no use after an earlier error
  '25P03', // idle in transaction timeout
  '55000', // the database takes no connections at the moment
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
])
const passingMessages = [
  'Connection terminated',
  'connection timeout',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end',
  'driver has already been destroyed',
  'Postgres connection has been discarded',
  'Client was closed and is not queryable',
]

/** Whether an error says that a lock was not free in time. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03'

/** Whether an error says that a statement ran for longer than it may. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014'

/** Whether an error says that a unique index has a row's key already. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505'

/** Whether an error is PostgreSQL's refusal, after which nothing of a statement is stored: not the end of a connection. */
export const wasRefused = (error: unknown): boolean =>
  error instanceof DatabaseError && !/^(08|57P)/.test(error.code ?? '08')

/** Whether an error says that the database cannot be reached or did not answer in time, so that trying later may help. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (isAbortedTransactionError(error) || error instanceof DatabaseSilent || error instanceof NoPrimary) return true
  // A transaction that met a migration: the next one prepares its statements anew.
  if (isOutdatedPlan(error)) return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code.startsWith('08') || code.startsWith('57P') || passingCodes.has(code)) return true
  return passingMessages.some((text) => error.message.includes(text))
}
