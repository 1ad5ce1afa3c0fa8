import { createBatcher } from '../shared/concurrency/batcher.ts'

const maxLookUps = 2
const maxItems = 200

type Find<Wanted, Row> = {
  one(wanted: Wanted): Promise<Row[]>
  /** Its rows name the 1-based place of the item that they answer. */
  many(wanted: readonly Wanted[]): Promise<Row[]>
}

/** Looks things up: alone, or many in one statement where requests come together. Requests for the same thing are one. */
export const createLookUp = <Wanted extends object, Row extends { place: number }>({ one, many }: Find<Wanted, Row>) =>
  createBatcher<Wanted, Row | undefined>({
    run: async (wanted) => {
      const [first] = wanted
      if (first && wanted.length === 1) return await one(first)
      const byPlace = new Map((await many(wanted)).map((row) => [row.place, row]))
      return wanted.map((_one, index) => byPlace.get(index + 1))
    },
    maxItems,
    maxBatches: maxLookUps,
    toKey: JSON.stringify,
  }).add
