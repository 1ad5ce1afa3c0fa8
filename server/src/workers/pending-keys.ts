/**
 * The Brains that a node is to look at for webhooks with something to send. One that turned out to have no webhooks is not
 * asked about again at once: most Brains have none, and are written to all the time.
 */
export const createLookout = () => {
  const toLookAt = new Set<number>()
  const unwatched = new Set<number>()
  const postponed = new Set<number>()
  /** Brains with turns under way: how many, and whether the Brain was woken since the first of them began. */
  const busy = new Map<number, { turns: number; isWoken: boolean }>()
  const add = (brainId: number) => void (unwatched.has(brainId) ? postponed : toLookAt).add(brainId)
  return {
    add,
    /** Adds a Brain that has new events. */
    wake: (brainId: number) => {
      const brain = busy.get(brainId)
      if (brain) brain.isWoken = true
      add(brainId)
    },
    /** Notes that a webhook's turn begins. Call what it returns at the end, with whether more is left to send. */
    begin: (brainId: number) => {
      const brain = busy.get(brainId) ?? { turns: 0, isWoken: false }
      busy.set(brainId, brain)
      brain.turns++
      return (isUnfinished: boolean) => {
        if (--brain.turns === 0) busy.delete(brainId)
        // A wake that came while the lease was being given back found the webhook still leased.
        if (isUnfinished || brain.isWoken) add(brainId)
      }
    },
    isEmpty: () => toLookAt.size === 0,
    takeAll: () => {
      const taken = [...toLookAt]
      toLookAt.clear()
      return taken
    },
    noteUnwatched: (brainId: number) => void unwatched.add(brainId),
    /** Leaves a Brain until `askAgain`. */
    postpone: (brainId: number) => void postponed.add(brainId),
    askAgain: () => {
      unwatched.clear()
      for (const brainId of postponed) toLookAt.add(brainId)
      postponed.clear()
    },
  }
}
