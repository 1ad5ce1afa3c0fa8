/**
 * The calls of one request. Concurrent work mixes differently each time, so the calls are ordered by their causes and not
 * by the clock: the calls of each piece of work, then those of the work that it started, the first started first.
 */
export type Recording = {
  /** Notes a call in the piece of work (asynchronous resource) that runs. */
  addCall(number: number, work: number): void
  /** Notes that a piece of work was begun by another. */
  addWork(work: number, beganBy: number): void
  calls(): number[]
}

export const createRecording = (): Recording => {
  const callsOf = new Map<number, number[]>()
  const begunBy = new Map<number, number[]>()
  const begun = new Set<number>()
  return {
    addCall: (number, work) => {
      const calls = callsOf.get(work)
      if (calls) calls.push(number)
      else callsOf.set(work, [number])
    },
    addWork: (work, beganBy) => {
      begun.add(work)
      const others = begunBy.get(beganBy)
      if (others) others.push(work)
      else begunBy.set(beganBy, [work])
    },
    calls: () => {
      const ordered: number[] = []
      // Work without a cause in the request: its arrival, and events of its connection.
      const open = [...new Set([...callsOf.keys(), ...begunBy.keys()])].filter((work) => !begun.has(work)).reverse()
      for (let work = open.pop(); work !== undefined; work = open.pop()) {
        ordered.push(...(callsOf.get(work) ?? []))
        open.push(...(begunBy.get(work) ?? []).toReversed())
      }
      return ordered
    },
  }
}
