import { createBatcher } from '../shared/concurrency/batcher.ts'

const maxLookUps = 2
const maxItems = 200

/**
 * Looks things up, many in one statement; requests for the same thing are one. `find` answers rows that name the 1-based
 * place of what they answer.
 */
export const createLookUp = <Wanted extends object, Row extends { place: number }>(
  find: (wanted: readonly Wanted[]) => Promise<Row[]>,
) => {
  const batcher = createBatcher<Wanted, Row | undefined>({
    run: async (wanted) => {
      const byPlace = new Map((await find(wanted)).map((row) => [row.place, row]))
      return wanted.map((_one, index) => byPlace.get(index + 1))
    },
    maxItems,
    maxBatches: maxLookUps,
    toKey: JSON.stringify,
  })
  return (wanted: Wanted) => batcher.add(wanted)
}
