import { createBatcher } from '../shared/concurrency/batcher.ts'

const maxLookUps = 2
const maxItems = 200

type Find<Wanted, Row> = {
  one(wanted: Wanted): Promise<Row[]>
  /** Each row has the 1-based position of the item that it belongs to. */
  many(wanted: readonly Wanted[]): Promise<Row[]>
}

/** Looks up single items, or many in one statement if requests arrive together. Requests for the same item share a lookup. */
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
