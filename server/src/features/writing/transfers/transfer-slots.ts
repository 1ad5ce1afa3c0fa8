import { unavailable } from '../../../shared/errors.ts'
import { createSemaphore } from '../../../shared/semaphore.ts'

/** Takes a slot and answers how to leave it; throws `unavailable` where none is free. */
export type TakeTransferSlot = () => () => void

/** Slots for exports and imports. Each holds a database connection for long, so enough are left to everything else. */
export const createTransferSlots = (slots: number): TakeTransferSlot => {
  const semaphore = createSemaphore(slots)
  return () => {
    const leave = semaphore.tryEnter()
    if (leave) return leave
    throw unavailable(`This node runs ${slots} exports and imports already. Try again when one has ended.`, {
      retryAfterSeconds: 10,
    })
  }
}
