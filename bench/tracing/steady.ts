import { describePath, sumUp } from './figures.ts'
import type { TracedFunction } from './instrument.ts'
import type { TracedService } from './traced-service.ts'
import type { Trip } from './trips.ts'

const maxTakes = 20
const enoughTakes = 3

/**
 * Takes a trip until it took the same path three times: at first code is loaded, caches are filled and statements are
 * prepared, and work that continues after an answer may overtake itself. If no path was taken three times, the shortest counts.
 */
export const takeUntilSteady = async (service: TracedService, trip: Trip): Promise<TracedFunction[]> => {
  const counts = new Map<string, number>()
  let shortest: TracedFunction[] | undefined
  for (let taken = 0; taken < maxTakes; taken++) {
    const calls = await trip.take(service)
    const path = describePath(calls)
    const count = (counts.get(path) ?? 0) + 1
    if (count === enoughTakes) return calls
    counts.set(path, count)
    if (shortest === undefined || sumUp(calls).moves < sumUp(shortest).moves) shortest = calls
  }
  return shortest ?? []
}
