import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { isDatabaseUnavailable, wasRefused } from './database-errors.ts'

test.each([
  ['the coordinator was killed', 'postmaster was shut down, exiting'],
  ['a worker was killed', 'failure on connection marked as essential: 127.0.0.1:5432'],
])('the error of a statement during which %s means unavailable, and the write may be stored', (_name, message) => {
  // Citus reports such errors with the code of internal errors.
  const error = Object.assign(new DatabaseError(message, 0, 'error'), { code: 'XX000' })
  expect(isDatabaseUnavailable(error)).toBe(true)
  expect(wasRefused(error)).toBe(false)
})
