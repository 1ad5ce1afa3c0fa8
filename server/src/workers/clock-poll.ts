import type { Clock } from '../shared/clock.ts'
import type { FindDueKeys, LeasedRow, LeasedWork } from '../shared/concurrency/leased-work.ts'

const pollsPerSweep = 10
const maxDueKeys = 1_000

/** Goes through keys a page at a time, so that many keys of one tenant cannot hide the others. */
const createPages = <Item>(
  find: (after: string | undefined) => Promise<{ items: readonly Item[]; next: string | undefined }>,
) => {
  let after: string | undefined
  const next = async (): Promise<readonly Item[]> => {
    const page = await find(after)
    after = page.next
    return page.items
  }
  return {
    next,
    startAfter: (key: string | undefined): void => {
      after = key
    },
    all: async (): Promise<readonly Item[]> => {
      after = undefined
      const items = [...(await next())]
      while (after !== undefined) items.push(...(await next()))
      return items
    },
  }
}

/** Finds keys with rows that are due, and at intervals those whose notification was lost. */
export const createClockPoll = <Row extends LeasedRow, Outcome>(
  work: LeasedWork<Row, Outcome>,
  { clock, findDueKeys, random = Math.random }: { clock: Clock; findDueKeys: FindDueKeys; random?: () => number },
) => {
  const limit = maxDueKeys
  const due = createPages(async (after) => {
    const items = await findDueKeys(work, { now: clock.now(), after, limit })
    return { items, next: items.length < limit ? undefined : items.at(-1)?.key }
  })
  const overlooked = createPages(async (after) => {
    const found = await work.findOverlooked?.({ now: clock.now(), after, limit })
    return { items: found?.keys ?? [], next: found?.next }
  })
  let pollsUntilSweep: number | undefined
  const findOverlooked = async (): Promise<readonly string[]> => {
    if (pollsUntilSweep) {
      pollsUntilSweep--
      return []
    }
    const isFirst = pollsUntilSweep === undefined
    if (isFirst) overlooked.startAfter(await work.findStart?.(random()))
    // All works begin with a sweep. The next are at moments of their own: together they would take a connection each.
    pollsUntilSweep = isFirst ? Math.floor(random() * pollsPerSweep) : pollsPerSweep - 1
    return overlooked.next()
  }
  let lagSeconds = 0
  const setLag = (dueAt: readonly Date[]) => {
    const now = clock.now().getTime()
    lagSeconds = (now - dueAt.reduce((earliest, at) => Math.min(earliest, at.getTime()), now)) / 1000
  }
  return {
    lagSeconds: () => lagSeconds,
    /** Returns the next page of due keys; all pages if the next poll is far away. */
    poll: async (): Promise<string[]> => {
      const found = await (work.everySeconds === undefined ? due.next() : due.all())
      setLag(found.map(({ dueAt }) => dueAt))
      const left = await findOverlooked()
      return [...found.map(({ key }) => key), ...left]
    },
    /** Returns all due and overlooked keys. */
    pollAll: async (): Promise<string[]> => [...(await due.all()).map(({ key }) => key), ...(await overlooked.all())],
  }
}
