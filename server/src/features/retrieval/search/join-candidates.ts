import { type Candidates, neighbourSlots } from '../lexical-index/types.ts'
import type { SearchedBrain } from './open-brain.ts'

// Joins the candidates of several Brains, so that they are ranked as those of one.

/** Copies the candidates of a Brain into the row of all, where each gets its own index. */
const copyInto = (
  row: Pick<Candidates, 'around' | 'scores'> & { passages: number[]; versions: number[] },
  { passages, versions, around, scores }: Candidates,
  { offset, toIndex }: { offset: number; toIndex: (index: number) => number },
): void => {
  for (const [index, passage] of passages.entries()) {
    const at = toIndex(index)
    row.passages[at] = passage + offset
    row.versions[at] = (versions[index] ?? passage) + offset
    row.scores[at] = scores[index] ?? 0
    for (let slot = 0; slot < neighbourSlots; slot++) {
      const near = around[index * neighbourSlots + slot] ?? -1
      row.around[at * neighbourSlots + slot] = near < passages.length ? toIndex(near) : row.passages.length
    }
  }
}

/** Puts the candidates of all Brains into one row: those that were proposed first, then those that are only neighbours. */
export const joinCandidates = (searched: readonly SearchedBrain[], each: readonly Candidates[]): Candidates => {
  const proposed = each.reduce((sum, one) => sum + one.proposed, 0)
  const length = each.reduce((sum, one) => sum + one.passages.length, 0)
  const row = {
    passages: new Array<number>(length),
    versions: new Array<number>(length),
    around: new Int32Array(length * neighbourSlots),
    scores: new Float32Array(length),
  }
  let [nextProposed, nextNeighbour] = [0, proposed]
  for (const [owner, candidates] of each.entries()) {
    const { proposed: own, passages } = candidates
    const [firstProposed, firstNeighbour] = [nextProposed, nextNeighbour - own]
    const toIndex = (index: number) => (index < 0 ? index : index + (index < own ? firstProposed : firstNeighbour))
    copyInto(row, candidates, { offset: searched[owner]?.offset ?? 0, toIndex })
    nextProposed += own
    nextNeighbour += passages.length - own
  }
  return { ...row, proposed }
}
