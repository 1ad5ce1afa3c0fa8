import { expect, test } from 'vitest'
import { withTimeout } from './timeout.ts'

const never = new Promise<never>(() => {})

test('a result in time is returned, a failure too', async () => {
  expect(await withTimeout(Promise.resolve('here'), 600_000, 'late')).toBe('here')
  await expect(withTimeout(Promise.reject(new Error('broken')), 600_000)).rejects.toThrow('broken')
})

test('a late result is replaced', async () => {
  expect(await withTimeout(never, 1)).toBeUndefined()
  expect(await withTimeout(never, 1, false)).toBe(false)
})

test('a failure after the time is over is ignored', async () => {
  const { promise, reject } = Promise.withResolvers<string>()
  expect(await withTimeout(promise, 1, 'late')).toBe('late')
  reject(new Error('too late'))
})
