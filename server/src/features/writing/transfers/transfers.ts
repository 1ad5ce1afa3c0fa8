import type { Clock } from '../../../shared/clock.ts'
import type { Subject } from '../../../shared/concurrency/fair-limiter.ts'
import { brainTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import type { BrainReads } from '../../kernel/replica-reads/replica-reads.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'
import { readExportLines } from './export-lines.ts'
import { type Imported, type ImportTarget, importLines } from './import-lines.ts'
import { type IsStillAllowed, linesInTime, type TransferLimits, watchTransfer } from './transfer-limits.ts'
import type { Line } from './types.ts'

// Whole Brains as files, out and in.

type Deps = {
  db: Db
  clock: Clock
  log: Log
  topics: Topics
  brainLocks: BrainLocks
  isDivided: boolean
  open: OpenShares
  limits: { transfers: TransferLimits }
}

/** The subject of a transfer, and the check that it still may. */
export type Transferer = { subject: Subject; isStillAllowed: IsStillAllowed }

/** The maximum wait for a slot, in milliseconds, when an organization uses all of its slots. */
const maxWaitMilliseconds = 10_000

/** Exports a Brain as it stands when reading begins, with its history or without, in pieces of any size. */
export const exportBrainLines = (
  deps: Omit<Deps, 'topics' | 'brainLocks' | 'db'> & { brainReads: BrainReads },
  brain: BrainRow,
  { history, ...transferer }: { history: boolean } & Transferer,
): AsyncGenerator<Buffer> => streamTransfer(deps, transferer, readExportLines(deps, brain, history))

/** Sends pieces that are read in one place of transfers, as long as their reader may have them. */
export async function* streamTransfer(
  deps: Omit<Deps, 'topics' | 'brainLocks' | 'db'>,
  { subject, isStillAllowed }: Transferer,
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const leave = await deps.open.wait('transfers', subject, maxWaitMilliseconds)
  try {
    const check = watchTransfer(deps.clock, deps.limits.transfers, isStillAllowed)
    for await (const piece of pieces) {
      yield piece
      await check()
    }
  } finally {
    leave()
  }
}

/** Loads an export into an empty Brain, all or nothing, within the caps of its organization. */
export const importBrainLines = async (
  deps: Omit<Deps, 'log'>,
  { subject, isStillAllowed, ...target }: ImportTarget & Transferer,
  lines: AsyncIterable<Line>,
): Promise<Imported> => {
  const leave = await deps.open.wait('transfers', subject, maxWaitMilliseconds)
  try {
    const check = watchTransfer(deps.clock, deps.limits.transfers, isStillAllowed)
    const inTime = linesInTime(lines, deps.limits.transfers.maxLineSeconds)
    const result = await importLines(deps, { ...target, check }, inTime)
    deps.topics.publish(brainTopic(target.brainId))
    return result
  } finally {
    leave()
  }
}
