import type { Db, Tx } from '../../../storage/database.ts'
import { indexVersion, unsearchableReasons } from '../../kernel/unsearchable/unsearchable.ts'
import { insertUnsearchable, updateUnsearchableEnds } from '../../kernel/unsearchable/unsearchable-queries.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import type { BuiltSegment } from './build-segment.ts'
import { chooseMerge } from './choose-merge.ts'
import {
  holdBrain,
  insertPassages,
  insertPostings,
  insertSegment,
  mergeSegments,
  moveProgress,
  type Progress,
  recordEnds,
  selectSegments,
} from './indexing-queries.ts'

// Commits a Brain's new segment in one short transaction, which succeeds only if the index did not advance meanwhile: two
// nodes may do the same work, but the index has it once.

type Deps = { db: Db }

export const nothing: BuiltSegment = { passages: 0, rows: [], terms: [], failed: [] }

/** A step of an index: a segment, the items of which a version ended, and the position in the stream up to which it is complete. */
export type IndexStep = {
  built: BuiltSegment
  ended: readonly { type: ContentType; id: string }[]
  position: number
}

const insertBuilt = async (tx: Tx, brainId: number, from: Progress, { passages, rows, terms }: BuiltSegment) => {
  const segment = from.lastSegment + 1
  // In parts, so that none blocks the main thread for long.
  for (const part of rows) await insertPassages(tx, brainId, part)
  for (const part of terms) await insertPostings(tx, brainId, segment, part)
  const lastPassage = from.lastPassage + passages
  await insertSegment(tx, brainId, { segment, firstPassage: from.lastPassage + 1, lastPassage })
}

/** Advances the index of a Brain by one step. Undefined where another node did so meanwhile, or the Brain was deleted. */
export const commitStep = (
  { db }: Deps,
  brainId: number,
  from: Progress,
  { built, ended, position }: IndexStep,
  inSameTransaction?: (tx: Tx) => Promise<unknown>,
): Promise<Progress | undefined> =>
  db.transaction().execute(async (tx) => {
    const to = { position, lastPassage: from.lastPassage + built.passages, lastSegment: from.lastSegment + 1 }
    if (!(await holdBrain(tx, brainId)) || !(await moveProgress(tx, brainId, from, to))) return undefined
    if (built.passages > 0) await insertBuilt(tx, brainId, from, built)
    const failed = built.failed.map(({ fromState, ...version }) => ({ ...version, state: fromState }))
    const failure = { position, reason: unsearchableReasons.text, indexVersion }
    if (failed.length > 0) await insertUnsearchable(tx, brainId, failed, failure)
    await inSameTransaction?.(tx)
    if (ended.length > 0) {
      await recordEnds(tx, brainId, position, ended)
      await updateUnsearchableEnds(tx, brainId, ended)
    }
    return to
  })

/** Merges segments of a Brain if there are too many. Undefined as above. */
export const mergeWhereDue = async ({ db }: Deps, brainId: number, from: Progress): Promise<Progress | undefined> => {
  const parts = chooseMerge(await selectSegments(db, brainId))
  const [first, last] = [parts.at(0), parts.at(-1)]
  if (!first || !last) return from
  return db.transaction().execute(async (tx) => {
    const to = { ...from, lastSegment: from.lastSegment + 1 }
    if (!(await holdBrain(tx, brainId)) || !(await moveProgress(tx, brainId, from, to))) return undefined
    const { firstPassage } = first
    const merged = { segment: to.lastSegment, firstPassage, lastPassage: last.lastPassage }
    await mergeSegments(tx, brainId, merged, parts)
    return to
  })
}
