import type { Client } from '@noema/sdk'
import type { Timing } from '@noema/sdk/timing.ts'
import { createEstimate, type Progress } from './estimate-remaining.ts'

const pollMilliseconds = 500

/** Reads the pending work of a Brain's search index: events to read and passages to embed. */
export const readPending = async (client: Client, handle: string, signal: AbortSignal): Promise<number> => {
  const { pendingEvents, pendingPassages } = (await client.brains.get(handle, { signal })).brain.indexing
  return pendingEvents + pendingPassages
}

type Waiting = { signal: AbortSignal; timing: Pick<Timing, 'now' | 'sleep'>; update: (progress: Progress) => void }

/**
 * Waits until the search index of a Brain has no pending work; reports the rest to `update`. This includes writes of others
 * meanwhile.
 */
export const waitForIndex = async (
  client: Client,
  handle: string,
  { signal, timing, update }: Waiting,
): Promise<void> => {
  const estimate = createEstimate()
  for (;;) {
    const left = await readPending(client, handle, signal)
    if (left === 0) return
    update(estimate(left, timing.now()))
    await timing.sleep(pollMilliseconds, signal)
  }
}
