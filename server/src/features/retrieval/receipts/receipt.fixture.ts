import type { Served } from '@noema/contracts/receipts.ts'
import type { TestApp, TestBrain } from '../../../test/app.ts'
import { leaveReceipt } from './leave-receipt.ts'

/** A Brain's own number, as operations know it. */
export const findBrainId = async (test: TestApp, { brain }: Pick<TestBrain, 'brain'>): Promise<number> => {
  const { rows } = await test.database.pool.query('select brain_id from brains where id = $1', [brain.id])
  return rows[0].brain_id
}

/** Leaves a receipt of a read that served just this. */
export const leaveFor = async (
  test: TestApp,
  brain: TestBrain,
  { consumerId, ...served }: Partial<Served> & { consumerId?: string } = {},
): Promise<string> => {
  const place = { brainId: await findBrainId(test, brain), handle: brain.brain.handle }
  const { records = [], statements = [], documents = [] } = served
  const items = [
    ...records.map((record) => ({ type: 'record' as const, ...record })),
    ...statements.map((statement) => ({ type: 'statement' as const, ...statement })),
    ...documents.map((document) => ({ type: 'document' as const, ...document })),
  ]
  return leaveReceipt(test.app.deps, place, { operation: 'query', stateVersion: 1, items, consumerId })
}
