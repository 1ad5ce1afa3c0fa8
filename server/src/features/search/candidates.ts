import type { PassageSearch } from '../passages/passages.ts'
import { type Candidates, slots } from './ranking.ts'

type Neighbourhood = Pick<PassageSearch, 'accepts' | 'neighbours'>

/** What was proposed, and what stands around that as far as it may be answered. */
export const gatherCandidates = (search: Neighbourhood, proposed: readonly number[]): Candidates => {
  const passages = [...proposed]
  const places = new Map(passages.map((passage, place) => [passage, place]))
  for (const passage of proposed)
    for (const near of search.neighbours(passage))
      if (near > 0 && !places.has(near) && search.accepts(near)) places.set(near, passages.push(near) - 1)
  const around = new Int32Array(passages.length * slots).fill(-1)
  for (const [place, passage] of passages.entries())
    for (const [slot, near] of search.neighbours(passage).entries())
      if (near > 0) around[place * slots + slot] = places.get(near) ?? passages.length
  return { passages, proposed: proposed.length, around }
}
