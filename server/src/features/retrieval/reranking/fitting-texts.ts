// The number of passages that a reranker on this machine reads while a caller waits. It depends on the machine and on its load.

/** The time in which a search should be reranked. */
const targetMilliseconds = 150

const fewest = 8
const most = 30

/** The share of the newest measurement in the average. */
const newest = 0.2

/** The number of passages that fit, by how long the last searches took. */
export const createFittingTexts = (first: number) => {
  let millisecondsEach = targetMilliseconds / first
  return {
    count: (): number => Math.min(most, Math.max(fewest, Math.floor(targetMilliseconds / millisecondsEach + 1e-9))),
    record: (texts: number, milliseconds: number): void => {
      // A few passages say little: the rest is the way to the process and back.
      if (texts >= fewest) millisecondsEach += newest * (milliseconds / texts - millisecondsEach)
    },
  }
}
