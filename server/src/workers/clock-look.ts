import type { Clock } from '../shared/clock.ts'
import type { LeasedRow, LeasedWork } from '../shared/leased-work.ts'

const looksPerSweep = 10
const maxDueKeys = 1_000

/** Goes through keys a page at a time, so that many keys of one tenant cannot hide the others. */
const createPages = <Item>(
  find: (after: string | undefined) => Promise<readonly Item[]>,
  toKey: (item: Item) => string,
) => {
  let after: string | undefined
  const next = async (): Promise<readonly Item[]> => {
    const items = await find(after)
    const last = items.at(-1)
    after = last === undefined || items.length < maxDueKeys ? undefined : toKey(last)
    return items
  }
  return {
    next,
    all: async (): Promise<readonly Item[]> => {
      after = undefined
      const items = [...(await next())]
      while (after !== undefined) items.push(...(await next()))
      return items
    },
  }
}

/** Looks for keys with rows that are due by the clock, and now and then for what a lost wake left. */
export const createClockLook = <Row extends LeasedRow, Outcome>(work: LeasedWork<Row, Outcome>, clock: Clock) => {
  const limit = maxDueKeys
  const due = createPages(
    (after) => work.findDue({ now: clock.now(), after, limit }),
    ({ key }) => key,
  )
  const overlooked = createPages(
    async (after) => (await work.findOverlooked?.({ now: clock.now(), after, limit })) ?? [],
    (key) => key,
  )
  let looks = 0
  let lagSeconds = 0
  const noteLag = (dueAt: readonly Date[]) => {
    const now = clock.now().getTime()
    lagSeconds = (now - dueAt.reduce((earliest, at) => Math.min(earliest, at.getTime()), now)) / 1000
  }
  return {
    lagSeconds: () => lagSeconds,
    /** The next page of what is due; all of it where the next look is far. */
    look: async (): Promise<string[]> => {
      const found = await (work.everySeconds === undefined ? due.next() : due.all())
      noteLag(found.map(({ dueAt }) => dueAt))
      const left = looks++ % looksPerSweep === 0 ? await overlooked.next() : []
      return [...found.map(({ key }) => key), ...left]
    },
    /** All that is due or was overlooked. */
    lookAtAll: async (): Promise<string[]> => [...(await due.all()).map(({ key }) => key), ...(await overlooked.all())],
  }
}
