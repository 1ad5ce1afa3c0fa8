import { webhookLimits } from '@noema/contracts/webhooks.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { type Settlement, settleWebhooks } from './lease-queries.ts'

type Waiting = { settlement: Settlement; resolve: (goesOn: boolean) => void; reject: (error: unknown) => void }

/** Most settlements of one statement. */
const atOnce = 500

/** Settles a webhook's turn and answers whether this node still holds its lease. */
export type Settle = (settlement: Settlement) => Promise<boolean>

/** Settles for many webhooks with one statement: while one runs, those that come meanwhile gather for the next. */
export const createSettling = (prepared: RunPrepared): Settle => {
  const waiting: Waiting[] = []
  let isWorking = false
  const work = async () => {
    isWorking = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, atOnce)
      try {
        const settlements = batch.map(({ settlement }) => settlement)
        const held = await settleWebhooks(prepared, settlements, webhookLimits.deliveriesKept)
        for (const { settlement, resolve } of batch) resolve(held.has(`${settlement.brainId}/${settlement.id}`))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isWorking = false
  }
  return (settlement) =>
    new Promise((resolve, reject) => {
      waiting.push({ settlement, resolve, reject })
      if (!isWorking) void work()
    })
}
