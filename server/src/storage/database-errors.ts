import { isAbortedTransactionError } from 'kysely'
import { DatabaseError } from 'pg'
import { DatabaseSilent } from './hang-watch.ts'
import { NoPrimary } from './primary.ts'
import { isOutdatedPlan } from './statement-names.ts'

// Classifies the errors of statements: the outcome, and whether another attempt may help.

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
/** Errors of Citus without a code of their own: its own server, or another one that a statement had reached, was lost meanwhile. */
const lostMessages = ['postmaster was shut down', 'failure on connection marked as essential']
const passingMessages = [
  'Connection terminated',
  ...lostMessages,
  'connection timeout',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end',
  'driver has already been destroyed',
  'Postgres connection has been discarded',
  'Client was closed and is not queryable',
]

/** Checks whether a lock was not free in time. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03'

/** Checks whether a statement ran for longer than its time limit. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014'

/** Checks whether a unique index refused a row. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505'

const isLoss = ({ message }: Error): boolean => lostMessages.some((text) => message.includes(text))

/** Checks whether PostgreSQL refused the statement, so that it stored nothing; a lost connection is not a refusal. */
export const wasRefused = (error: unknown): boolean =>
  error instanceof DatabaseError && !/^(08|57P)/.test(error.code ?? '08') && !isLoss(error)

/** Checks whether the database is unreachable or did not answer in time, so that a later attempt may help. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (isAbortedTransactionError(error) || error instanceof DatabaseSilent || error instanceof NoPrimary) return true
  // A migration ran during the transaction: the next one prepares its statements again.
  if (isOutdatedPlan(error)) return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code.startsWith('08') || code.startsWith('57P') || passingCodes.has(code)) return true
  return passingMessages.some((text) => error.message.includes(text))
}
