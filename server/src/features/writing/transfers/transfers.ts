import type { Caps } from '../../../config.ts'
import type { Clock } from '../../../shared/clock.ts'
import { unavailable } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import { createSemaphore } from '../../../shared/semaphore.ts'
import { brainTopic, type Topics } from '../../../shared/topics.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainLocks } from '../../brain/brain-locks/brain-locks.ts'
import type { BrainRow } from '../../brain/brains/brains.ts'
import { readExportLines } from './export-lines.ts'
import { type Imported, importLines } from './import-lines.ts'
import type { Line } from './types.ts'

// Whole Brains as files, out and in.

/** Takes a slot and answers how to leave it; throws `unavailable` where none is free. */
export type TakeTransferSlot = () => () => void

/** Slots for exports and imports. Each holds a database connection for long, so enough are left to everything else. */
export const createTransferSlots = (slots: number): TakeTransferSlot => {
  const semaphore = createSemaphore(slots)
  return () => {
    const leave = semaphore.tryEnter()
    if (leave) return leave
    throw unavailable(
      `This node is already running ${slots} exports and imports. Try again when one of them has finished.`,
      {
        retryAfterSeconds: 10,
      },
    )
  }
}

type Deps = {
  db: Db
  clock: Clock
  brainLocks: BrainLocks
  log: Log
  topics: Topics
  takeTransferSlot: TakeTransferSlot
}

/** Exports a Brain as it stands when reading begins, with its history or without, in pieces of any size. */
export async function* exportBrainLines(
  deps: Omit<Deps, 'clock' | 'topics' | 'brainLocks'>,
  brain: BrainRow,
  { history }: { history: boolean },
): AsyncGenerator<Buffer> {
  const leave = deps.takeTransferSlot()
  try {
    yield* readExportLines(deps, brain, history)
  } finally {
    leave()
  }
}

/** Loads an export into an empty Brain, all or nothing, within the caps of its organization. */
export const importBrainLines = async (
  deps: Omit<Deps, 'log'>,
  target: { brainId: number; caps: Caps },
  lines: AsyncIterable<Line>,
): Promise<Imported> => {
  const leave = deps.takeTransferSlot()
  try {
    const result = await importLines(deps, target, lines)
    deps.topics.publish(brainTopic(target.brainId))
    return result
  } finally {
    leave()
  }
}
