import { expect, test } from 'vitest'
import { createDiskWatch } from './disk-watch.ts'

test('the disk counts as full for a minute after it refused a write, and no other failure counts', () => {
  let now = 0
  const watch = createDiskWatch(() => now)
  expect(watch.isFull()).toBe(false)
  watch.note(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
  expect(watch.isFull()).toBe(false)
  watch.note(Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' }))
  expect(watch.isFull()).toBe(true)
  now = 59_999
  expect(watch.isFull()).toBe(true)
  now = 60_000
  expect(watch.isFull()).toBe(false)
})
