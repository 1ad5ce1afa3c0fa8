import type { Receipt } from '@noema/contracts/receipts.ts'
import { expect, test } from 'vitest'
import { listConsumers } from './consumers.ts'

const receipt = (consumerId: string | null, operation: Receipt['operation'], day: number, current = true): Receipt => ({
  ...{ id: `r${day}`, consumerId, operation, at: `2026-01-0${day}T00:00:00.000Z`, stateVersion: 1, current },
  ...{ served: { records: [], statements: [], documents: [] }, moved: [] },
})

test('each reader is listed once, latest first, with their operations and the number of outdated ones', () => {
  const found = listConsumers([
    receipt('planner', 'context', 1),
    receipt(null, 'query', 2),
    receipt('planner', 'search', 4, false),
    receipt('planner', 'search', 3),
  ])
  expect(found).toEqual([
    {
      ...{ consumerId: 'planner', reads: 3, lastAt: '2026-01-04T00:00:00.000Z', outdated: 1 },
      operations: [
        { operation: 'search', count: 2 },
        { operation: 'context', count: 1 },
      ],
    },
    {
      consumerId: null,
      reads: 1,
      lastAt: '2026-01-02T00:00:00.000Z',
      outdated: 0,
      operations: [{ operation: 'query', count: 1 }],
    },
  ])
})
