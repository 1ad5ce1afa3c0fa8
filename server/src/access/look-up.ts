import { createBatcher } from '../shared/concurrency/batcher.ts'

const maxLookUps = 2
const maxItems = 200

type Find<Requested, Row> = {
  one(requested: Requested): Promise<Row[]>
  /** Each row has the 1-based position of the item that it belongs to. */
  many(requested: readonly Requested[]): Promise<Row[]>
  /** Completes one row by itself, so that none waits for another one. */
  complete?: ((row: Row) => Promise<Row | undefined>) | undefined
}

/** Looks up single items, or many in one statement if requests arrive together. Requests for the same item share a lookup. */
export const createLookUp = <Requested extends object, Row extends { place: number }>({
  one,
  many,
  complete,
}: Find<Requested, Row>) =>
  createBatcher<Requested, Row | undefined>({
    run: async (requested) => {
      const [first] = requested
      if (first && requested.length === 1) {
        const rows = await one(first)
        return complete ? rows.map(complete) : rows
      }
      const rows = (await many(requested)).map((row) => [row.place, complete ? complete(row) : row] as const)
      const byPlace = new Map(rows)
      return requested.map((_one, index) => byPlace.get(index + 1))
    },
    maxItems,
    maxBatches: maxLookUps,
    toKey: JSON.stringify,
  }).add
