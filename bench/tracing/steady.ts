import { sumUp } from './figures.ts'
import type { TracedFunction } from './instrument.ts'
import type { TracedService } from './traced-service.ts'
import type { Trip } from './trips.ts'

const maxTakes = 15
const enoughTakes = 3

/**
 * Takes a trip until its shortest way was taken three times. All that differs between takes adds to it: code that is loaded, caches that are
 * filled and statements that are prepared at first, and on a busy machine work that is divided or repeated because it took longer.
 */
export const takeUntilSteady = async (service: TracedService, trip: Trip): Promise<TracedFunction[]> => {
  let shortest: { calls: TracedFunction[]; moves: number } | undefined
  let count = 0
  for (let take = 0; take < maxTakes && count < enoughTakes; take++) {
    const calls = await trip.take(service)
    const { moves } = sumUp(calls)
    if (shortest && moves > shortest.moves) continue
    count = moves === shortest?.moves ? count + 1 : 1
    shortest = { calls, moves }
  }
  return shortest?.calls ?? []
}
