import type { LeasedRow, LeasedWork, Settlement } from '../shared/leased-work.ts'

type Waiting<Item> = { item: Item; resolve: (stands: boolean) => void; reject: (error: unknown) => void }

/** Outcomes of one statement. */
const maxBatch = 500

/** Stores outcomes of many turns with one statement: while one runs, those that come meanwhile gather for the next. */
export const createOutcomeBatcher = <Row extends LeasedRow, Outcome>(settle: LeasedWork<Row, Outcome>['settle']) => {
  const waiting: Waiting<Settlement<Row, Outcome>>[] = []
  let isWorking = false
  const work = async () => {
    isWorking = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatch)
      try {
        const stands = await settle(batch.map(({ item }) => item))
        for (const [index, { resolve }] of batch.entries()) resolve(stands[index] === true)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isWorking = false
  }
  return (item: Settlement<Row, Outcome>): Promise<boolean> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isWorking) void work()
    })
}
