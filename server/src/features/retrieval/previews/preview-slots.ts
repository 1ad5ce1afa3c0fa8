import { createFairLimiter, type FairLimiter, type Subject } from '../../../shared/concurrency/fair-limiter.ts'
import { unavailable } from '../../../shared/errors.ts'

/** The reads with pending changes that run at once on a node, and those of one organization and one caller. */
export const createPreviewSlots = (): FairLimiter => createFairLimiter({ node: 4, organization: 2, key: 2 })

/** The longest time that such a read waits for others. */
const maxWaitMilliseconds = 5_000

/** Reads with a pending change as soon as there is a slot. Throws 503 where none becomes free. */
export const takePreviewSlot = async <Found>(
  slots: FairLimiter,
  subject: Subject,
  read: () => Promise<Found>,
): Promise<Found> => {
  const release = slots.take(subject) ?? (await slots.wait(subject, { maxMilliseconds: maxWaitMilliseconds }))
  if (!release)
    throw unavailable('Too many changes are being previewed. Try again in a moment.', {
      code: 'overloaded',
      retryAfterSeconds: 1,
    })
  try {
    return await read()
  } finally {
    release()
  }
}
