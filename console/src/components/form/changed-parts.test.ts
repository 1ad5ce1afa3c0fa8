import { expect, test } from 'vitest'
import { findChangedParts } from './changed-parts.ts'

const opened = {
  name: 'Ada',
  tools: ['ask'],
  limits: { maxSteps: 20, maxCostCents: null as number | null },
  schema: { a: 1, b: 2 },
}

test('only the parts that differ from the opened body are sent, lists and objects as a whole', () => {
  expect(findChangedParts(opened, opened)).toEqual({})
  expect(findChangedParts(opened, { ...opened, tools: [] })).toEqual({ tools: [] })
  expect(findChangedParts(opened, { ...opened, schema: { a: 1, b: 3 } })).toEqual({ schema: { a: 1, b: 3 } })
})

test('of an object that the service merges, only the changed properties are sent', () => {
  const body = { ...opened, limits: { maxSteps: 20, maxCostCents: 50 } }
  expect(findChangedParts(opened, body, ['limits'])).toEqual({ limits: { maxCostCents: 50 } })
})

test('without an opened body, all of it is sent', () => {
  expect(findChangedParts(undefined, opened)).toEqual(opened)
  expect(findChangedParts('Ada', 'Bo')).toBe('Bo')
})
