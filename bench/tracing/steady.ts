import { describePath } from './figures.ts'
import type { TracedFunction } from './instrument.ts'
import type { TracedService } from './traced-service.ts'
import type { Trip } from './trips.ts'

const maxTakes = 20
const enoughTakes = 3

/**
 * Takes a trip until it went the same way three times: at first code is loaded, caches are filled and statements are
 * prepared, and work that goes on after an answer may overtake itself.
 */
export const takeUntilSteady = async (service: TracedService, trip: Trip): Promise<TracedFunction[]> => {
  const counts = new Map<string, number>()
  for (let taken = 0; taken < maxTakes; taken++) {
    const calls = await trip.take(service)
    const path = describePath(calls)
    const count = (counts.get(path) ?? 0) + 1
    if (count === enoughTakes) return calls
    counts.set(path, count)
  }
  throw new Error(`${trip.name} took no path ${enoughTakes} times of ${maxTakes}.`)
}
