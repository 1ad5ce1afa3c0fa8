import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@noema/sdk'

const lookMilliseconds = 500

/** Reads the pending work of a Brain's search index: events to read and passages to embed. */
export const readPending = async (client: Client, handle: string, signal: AbortSignal): Promise<number> => {
  const { pendingEvents, pendingPassages } = (await client.brains.get(handle, { signal })).brain.indexing
  return pendingEvents + pendingPassages
}

/**
 * Waits until the search index of a Brain has no pending work; reports the rest to `update`. This includes writes of others
 * meanwhile.
 */
export const waitForIndex = async (
  client: Client,
  handle: string,
  { signal, update }: { signal: AbortSignal; update: (left: number) => void },
): Promise<void> => {
  for (;;) {
    const left = await readPending(client, handle, signal)
    if (left === 0) return
    update(left)
    await delay(lookMilliseconds, undefined, { signal })
  }
}
