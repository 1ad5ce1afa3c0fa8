import { describePath, sumUp } from './figures.ts'
import type { TracedFunction } from './instrument.ts'
import type { TracedService } from './traced-service.ts'
import type { Trip } from './trips.ts'

const maxTakes = 15
const enoughTakes = 3

/**
 * Takes a trip until it went the same way three times: at first code is loaded, caches are filled and statements are
 * prepared. Work that goes on after an answer may go another way each time on a busy machine: then the take with the median
 * number of moves counts.
 */
export const takeUntilSteady = async (service: TracedService, trip: Trip): Promise<TracedFunction[]> => {
  const counts = new Map<string, number>()
  const takes: { calls: TracedFunction[]; moves: number }[] = []
  while (takes.length < maxTakes) {
    const calls = await trip.take(service)
    const path = describePath(calls)
    const count = (counts.get(path) ?? 0) + 1
    if (count === enoughTakes) return calls
    counts.set(path, count)
    takes.push({ calls, moves: sumUp(calls).moves })
  }
  takes.sort((one, other) => one.moves - other.moves)
  return takes[Math.floor(takes.length / 2)]?.calls ?? []
}
