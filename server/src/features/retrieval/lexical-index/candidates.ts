import { type Candidates, slots } from '../search/ranking.ts'
import type { PassageSearch } from './lexical-index.ts'

type Neighbourhood = Pick<PassageSearch, 'accepts' | 'neighbours'>

/** What was proposed, and what stands around that as far as it may be answered. */
export const gatherCandidates = (search: Neighbourhood, proposed: readonly number[]): Candidates => {
  const passages = [...proposed]
  const neighbours = passages.map((passage) => search.neighbours(passage))
  const places = new Map(passages.map((passage, place) => [passage, place]))
  for (let place = 0; place < proposed.length; place++)
    for (const near of neighbours[place] ?? [])
      if (near > 0 && !places.has(near) && search.accepts(near)) {
        places.set(near, passages.push(near) - 1)
        neighbours.push(search.neighbours(near))
      }
  const around = new Int32Array(passages.length * slots).fill(-1)
  for (let place = 0; place < passages.length; place++)
    for (let slot = 0; slot < slots; slot++) {
      const near = neighbours[place]?.[slot] ?? 0
      if (near > 0) around[place * slots + slot] = places.get(near) ?? passages.length
    }
  return { passages, proposed: proposed.length, around }
}
