import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type Embedder, type EmbedderSource, TextsRefused } from '../embedding/types.ts'
import { unusedMilliseconds } from './forget-spaces.ts'
import { toProbe } from './probe.ts'
import { claimSpace, noteSpace, selectWanted } from './space-queries.ts'

// Nodes whose settings name different models, as during a rolling restart, agree on one: each claims the space of its own when it
// begins, and the last claim holds while a node works in that space. So one that was started with other settings takes over, one
// that goes on with the former settings does not take it back, and where it was the only one left it does.

export type ClaimDeps = {
  db: Db
  prepared: RunPrepared
  clock: Clock
  log: Log
  embedder: Embedder
  source: EmbedderSource
}

/** The space of this node's model, and the one that is wanted for all Brains. */
export type Spaces = { own: string; wanted: string }

const lookMilliseconds = 1_000
const noteMilliseconds = 60_000

/** A look at the spaces of a node that embeds passages, at most one a second. Throws EmbedderUnavailable. */
export const createSpaceLook = (deps: ClaimDeps): (() => Promise<Spaces>) => {
  const { db, prepared, clock, embedder, source, log } = deps
  let claimed: string | undefined
  let notedAt = 0
  let last: (Spaces & { at: number }) | undefined

  const claim = async (space: string, now: Date) => {
    const probe = await toProbe(embedder).catch((error) => {
      if (error instanceof TextsRefused) return undefined
      throw error
    })
    await claimSpace(db, { space, now, source, probe })
    if (claimed !== space) log.info({ space, ...source }, 'texts are embedded in this space')
    claimed = space
    notedAt = now.getTime()
  }

  return async () => {
    const own = await embedder.space()
    const now = clock.now()
    const time = now.getTime()
    if (last && last.own === own && Math.abs(time - last.at) < lookMilliseconds) return last
    if (claimed !== own) await claim(own, now)
    else if (Math.abs(time - notedAt) >= noteMilliseconds) {
      await noteSpace(db, own, now)
      notedAt = time
    }
    const [found] = await prepared(selectWanted)
    const isLeft = found && found.space !== own && time - new Date(found.usedAt).getTime() > unusedMilliseconds
    if (isLeft) await claim(own, now)
    last = { own, wanted: isLeft ? own : (found?.space ?? own), at: time }
    return last
  }
}
