import { webhookLimits } from '@noema/contracts/webhooks.ts'
import { createBatcher } from '../../../shared/batcher.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { type Settlement, settleWebhooks } from './lease-queries.ts'

/** Settlements of one statement. */
const maxSettlements = 500

/** Settles a webhook's turn and answers whether this node still holds its lease. */
export type Settle = (settlement: Settlement) => Promise<boolean>

/** Settles for many webhooks with one statement. */
export const createSettling = (prepared: RunPrepared): Settle =>
  createBatcher<Settlement, boolean>({
    run: async (settlements) => {
      const held = await settleWebhooks(prepared, settlements, webhookLimits.deliveriesKept)
      return settlements.map(({ brainId, id }) => held.has(`${brainId}/${id}`))
    },
    maxItems: maxSettlements,
  }).add
