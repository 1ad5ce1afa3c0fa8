import type { Db } from '../../../storage/database.ts'
import { forgetSnapshot, selectForgettable } from './queries.ts'

const keptDays = 3

/** How many snapshots of one source are kept that nobody applied: a sync that repeats makes one each time. */
const keptUnapplied = 20

const atOnce = 100

/**
 * Forgets snapshots that nobody applied, and the items of those that somebody did, after some days. Safe on any number of
 * nodes and to repeat.
 */
export const forgetSnapshots = async (deps: { db: Db }, now: Date): Promise<void> => {
  const before = new Date(now.getTime() - keptDays * 86_400_000)
  for (;;) {
    const found = await selectForgettable(deps.db, { before, newest: keptUnapplied, limit: atOnce })
    for (const snapshot of found) await forgetSnapshot(deps.db, snapshot)
    if (found.length < atOnce) return
  }
}
