import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type Embedder, type EmbedderSource, TextsRefused } from '../embedding/types.ts'
import { toProbe } from './probe.ts'
import { unusedMilliseconds } from './purge-spaces.ts'
import { claimSpace, recordSpaceUse, selectTarget } from './space-queries.ts'

// Nodes whose settings name different models, as during a rolling restart, agree on one target space: each claims its own space when
// it starts, and the last claim holds while a node works in that space. So a node with new settings takes over, and a node that
// still has the former settings does not take it back, unless it is the only one left.

export type ClaimDeps = {
  db: Db
  prepared: RunPrepared
  clock: Clock
  log: Log
  embedder: Embedder
  source: EmbedderSource
}

/** The space of this node's model, and the target space of all Brains. */
export type Spaces = { own: string; target: string }

const pollMilliseconds = 1_000
const recordMilliseconds = 60_000

/** Polls the spaces for a node that embeds passages, at most once a second. Throws EmbedderUnavailable. */
export const createSpacePoll = (deps: ClaimDeps): (() => Promise<Spaces>) => {
  const { db, prepared, clock, embedder, source, log } = deps
  let claimed: string | undefined
  let recordedAt = 0
  let last: (Spaces & { at: number }) | undefined

  const claim = async (space: string, now: Date) => {
    const probe = await toProbe(embedder).catch((error) => {
      if (error instanceof TextsRefused) return undefined
      throw error
    })
    await claimSpace(db, { space, now, source, probe })
    if (claimed !== space) log.info({ space, ...source }, 'texts are embedded in this space')
    claimed = space
    recordedAt = now.getTime()
  }

  return async () => {
    const own = await embedder.space()
    const now = clock.now()
    const time = now.getTime()
    if (last && last.own === own && Math.abs(time - last.at) < pollMilliseconds) return last
    if (claimed !== own) await claim(own, now)
    else if (Math.abs(time - recordedAt) >= recordMilliseconds) {
      await recordSpaceUse(db, own, now)
      recordedAt = time
    }
    const [found] = await prepared(selectTarget)
    const isLeft = found && found.space !== own && time - new Date(found.usedAt).getTime() > unusedMilliseconds
    if (isLeft) await claim(own, now)
    last = { own, target: isLeft ? own : (found?.space ?? own), at: time }
    return last
  }
}
