import type { BrainClient } from '@noema/sdk'
import { ApiError } from '@noema/sdk/errors.ts'

/** A URL that answers no event, to show retries and skipped events. */
const toHook = (): string => new URL('/hooks/nobody', process.env.NOEMA_BASE_URL ?? 'http://127.0.0.1:4100').href

/**
 * Creates keys of a Brain, one of them replaced and one revoked, and a webhook that fails. If webhooks may not lead to this
 * machine (`NOEMA_WEBHOOK_ALLOW=127.0.0.1:*` allows it), there is none.
 */
export const seedAccess = async (brain: BrainClient): Promise<void> => {
  const { keys } = await brain.keys.list({ limit: 1 })
  if (keys.length === 0) {
    await brain.keys.mint({ name: 'support-agent', capabilities: ['read'] })
    await brain.keys.mint({ name: 'nightly-import', capabilities: ['read', 'write'] })
    const { key: reviewer } = await brain.keys.mint({ name: 'review-bot', capabilities: ['read', 'review'] })
    await brain.keys.rotate(reviewer.id)
    const { key: left } = await brain.keys.mint({ name: 'trial', capabilities: ['read', 'write', 'review', 'admin'] })
    await brain.keys.revoke(left.id)
  }
  const { webhooks } = await brain.webhooks.list()
  if (webhooks.length > 0) return
  try {
    const { webhook } = await brain.webhooks.create({ url: toHook(), types: ['record.accepted', 'change.staged'] })
    const { events } = await brain.events.list({ newest: 3 })
    const [first] = events
    if (first) await brain.webhooks.rewind(webhook.id, { from: first.cursor })
    await brain.webhooks.create({ url: `${toHook()}/dates`, types: ['date.reached'] })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
  }
}
