import { makeInvoice } from '../parts/invoices.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { timed } from '../parts/subject.ts'
import { insertRows } from './insert-rows.ts'
import { nextChangeId, toRows } from './rows.ts'

/** Inserts a batch of so many records at each call, and answers the milliseconds. The rows are made before the clock starts. */
export const createBatchInserter = (pool: ScratchDatabase['pool'], brainId: number, size: number) => {
  const records = Array.from({ length: size }, (_, index) => makeInvoice(index))
  let batches = 0
  let position = 0
  return (): Promise<number> => {
    const at = new Date().toISOString()
    const stateVersion = ++batches
    const change = nextChangeId()
    const rows = records.map((record) => toRows(record, { change, stateVersion, position: ++position, at }))
    const statement = insertRows({ brainId, at, rows, writesToday: position })
    return timed(() => pool.query(statement))
  }
}
