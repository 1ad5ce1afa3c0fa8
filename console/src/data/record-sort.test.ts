import { expect, test } from 'vitest'
import { listSortable, toSortedWhere } from './record-sort.ts'

const fields = [
  { name: 'level', type: 'integer', indexed: true },
  { name: 'joined', type: 'date', indexed: true },
  { name: 'role', type: 'string', indexed: true },
  { name: 'tags', type: 'string', indexed: true, many: true },
  { name: 'status', type: 'enum', indexed: true, values: ['a'] },
  { name: 'about', type: 'text' },
] as const
const kind = { kind: 'person', fields } as never
const names = (where: object | undefined, rest: object = {}) =>
  listSortable(kind, { where: where as never, ...rest }).map(({ name }) => name)

test('a list is sorted by indexed fields that have an order, unless another condition decides the order', () => {
  expect(names(undefined)).toEqual(['level', 'joined', 'role'])
  expect(names({ level: { gt: 2 } })).toEqual(['level'])
  expect(names({ level: 2 })).toEqual([])
  expect(names(undefined, { linksTo: 'x' })).toEqual([])
})

test('a range over all values sorts, and a range that is asked for stays', () => {
  const [level, joined] = fields
  expect(toSortedWhere(level as never, undefined)).toEqual({ level: { gte: Number.MIN_SAFE_INTEGER } })
  expect(toSortedWhere(joined as never, undefined)).toEqual({ joined: { gte: '0001-01-01' } })
  expect(toSortedWhere(level as never, { level: { lt: 3 } })).toEqual({ level: { lt: 3 } })
  expect(toSortedWhere(undefined, { level: 1 })).toEqual({ level: 1 })
})
