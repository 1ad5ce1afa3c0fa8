import type { Db } from '../../../storage/database.ts'
import { forgetSnapshot, selectForgettable } from './queries.ts'

const keptDays = 3

/** A source keeps at most this many unapplied snapshots: a sync that repeats makes one each time. */
const keptUnapplied = 20

const atOnce = 100

/** Purges unapplied snapshots, and the items of applied ones, after some days. Safe on any number of nodes and to repeat. */
export const forgetSnapshots = async (deps: { db: Db }, now: Date): Promise<void> => {
  const before = new Date(now.getTime() - keptDays * 86_400_000)
  for (;;) {
    const found = await selectForgettable(deps.db, { before, newest: keptUnapplied, limit: atOnce })
    for (const snapshot of found) await forgetSnapshot(deps.db, snapshot)
    if (found.length < atOnce) return
  }
}
