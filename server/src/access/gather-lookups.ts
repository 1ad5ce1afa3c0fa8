// Requests that arrive while look-ups are under way share the next one, and those with the same credential about the same
// Brain are one.

type Waiter = { resolve: (found: never) => void; reject: (error: unknown) => void }
type Pending<Wanted> = { wanted: Wanted; waiters: Waiter[] }
const lookUpsAtOnce = 2
const lookUpLimit = 200

/** Looks a set up in one statement and tells everyone who waits, of the find or of the failure. */
const answerAll = async <Wanted, Row extends { place: number }>(
  set: readonly Pending<Wanted>[],
  find: (wanted: readonly Wanted[]) => Promise<Row[]>,
): Promise<void> => {
  try {
    const rows = await find(set.map(({ wanted }) => wanted))
    const byPlace = new Map(rows.map((row) => [row.place, row]))
    for (const [index, { waiters }] of set.entries())
      for (const { resolve } of waiters) resolve(byPlace.get(index + 1) as never)
  } catch (error) {
    for (const { waiters } of set) for (const { reject } of waiters) reject(error)
  }
}

/**
 * Gathers single look-ups into sets. `find` answers rows that name the 1-based place of what they answer; what is wanted
 * is told apart by its values.
 */
export const gatherLookups = <Wanted extends object, Row extends { place: number }>(
  find: (wanted: readonly Wanted[]) => Promise<Row[]>,
) => {
  const waiting = new Map<string, Pending<Wanted>>()
  let underWay = 0
  const next = async (): Promise<void> => {
    const set = [...waiting].slice(0, lookUpLimit)
    if (set.length === 0) return
    for (const [name] of set) waiting.delete(name)
    underWay++
    await answerAll(
      set.map(([, pending]) => pending),
      find,
    )
    underWay--
    if (waiting.size > 0) void next()
  }
  return (wanted: Wanted): Promise<Row | undefined> =>
    new Promise((resolve, reject) => {
      const name = JSON.stringify(wanted)
      const pending = waiting.get(name) ?? { wanted, waiters: [] }
      pending.waiters.push({ resolve, reject })
      waiting.set(name, pending)
      // What else arrives in this turn of the event loop joins the set.
      if (underWay < lookUpsAtOnce && waiting.size === 1 && pending.waiters.length === 1)
        setImmediate(() => void next())
    })
}
