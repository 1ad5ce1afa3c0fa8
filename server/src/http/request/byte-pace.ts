import { setTimeout as sleep } from 'node:timers/promises'
import type { Subject } from '../../shared/concurrency/fair-limiter.ts'

// Paces the bytes of files, exports and imports. Each costs time of the main thread, so while organizations share a node, none of them
// sends and reads more than its share. One that has the node to itself is not paced.

/** Bytes a second: of a node, which the organizations that want more share equally, and the most of one organization. */
export type ByteRates = { node: number; organization: number }

/** The weight of a byte. One of an export or import, which is made or read value by value, costs more than one of a file. */
const weights = { file: 1, lines: 8 } as const

/** Passes the pieces of a body on, each when it is due. */
export type BytePace = <Piece extends Buffer | string>(
  subject: Subject,
  kind: keyof typeof weights,
  pieces: AsyncIterable<Piece>,
) => AsyncIterable<Piece>

/** A node counts as shared for so long after requests of two organizations were in progress at once, in milliseconds. */
const sharedMilliseconds = 1_000

/** Pieces that are due within so many milliseconds pass at once: a timer for each piece of a socket would cost more than it. */
const leadMilliseconds = 50

/** The bytes of so many milliseconds pass at once after a rest, so that who sends or reads little waits for nothing. */
const restMilliseconds = 250

type Transfers = {
  /** The number of bodies that pass now. */
  count: number
  /** When all bytes so far are due, and until when the node counts as shared. */
  dueAt: number
  sharedUntil: number
}

/**
 * The share of each organization. One whose bytes are all due wants no more than it gets, so the others share the rest. The bytes of
 * a body that ended count until they are due: many short bodies are no faster than a long one.
 */
const createShares = (rates: ByteRates, isShared: (organization: string) => boolean, now: () => number) => {
  const organizations = new Map<string, Transfers>()
  const isRested = (dueAt: number, time: number): boolean => dueAt <= time - restMilliseconds
  const countWanting = (time: number): number => {
    let wanting = 0
    for (const [organization, { count, dueAt }] of organizations) {
      if (dueAt > time) wanting++
      else if (count === 0 && isRested(dueAt, time)) organizations.delete(organization)
    }
    return wanting
  }
  return {
    begin: (organization: string): Transfers => {
      const transfers = organizations.get(organization) ?? { count: 0, dueAt: Number.NEGATIVE_INFINITY, sharedUntil: 0 }
      organizations.set(organization, transfers)
      transfers.count++
      return transfers
    },
    /** The milliseconds until so many bytes may pass. */
    count: (organization: string, transfers: Transfers, bytes: number): number => {
      const time = now()
      if (isShared(organization)) transfers.sharedUntil = time + sharedMilliseconds
      if (time >= transfers.sharedUntil) return 0
      const others = countWanting(time) - (transfers.dueAt > time ? 1 : 0)
      const rate = Math.min(rates.organization, rates.node / (others + 1))
      transfers.dueAt = Math.max(transfers.dueAt, time - restMilliseconds) + (bytes / rate) * 1_000
      return transfers.dueAt - time
    },
    end: (organization: string, transfers: Transfers): void => {
      transfers.count--
      if (transfers.count === 0 && isRested(transfers.dueAt, now())) organizations.delete(organization)
    },
  }
}

type Timer = { now(): number; sleep(milliseconds: number): Promise<unknown> }

/** Paces bytes. `isShared`: checks whether requests of other organizations are in progress. */
export const createBytePace = (
  rates: ByteRates,
  isShared: (organization: string) => boolean,
  timer: Timer = { now: () => performance.now(), sleep },
): BytePace => {
  const shares = createShares(rates, isShared, timer.now)
  return async function* pace({ organization }, kind, pieces) {
    const transfers = shares.begin(organization)
    try {
      for await (const piece of pieces) {
        const wait = shares.count(organization, transfers, piece.length * weights[kind])
        if (wait > leadMilliseconds) await timer.sleep(wait)
        yield piece
      }
    } finally {
      shares.end(organization, transfers)
    }
  }
}
