/**
 * How what was done in memory is taken back, a step for each thing done: the requests of a commit batch are tried one after
 * another, and one that fails is taken back in everything that shares the log. A plain list, as it is noted in often: what
 * was done so far is made final by emptying it.
 */
export type UndoLog = (() => void)[]

/** Takes back what was done since the log was so long. */
export const rollBack = (log: UndoLog, length = 0): void => {
  for (const undo of log.splice(length).reverse()) undo()
}

/** Sets a map's value as it was; undefined is none. */
export const putBack = <Key, Value>(map: Map<Key, Value>, key: Key, before: Value | undefined): void => {
  if (before === undefined) map.delete(key)
  else map.set(key, before)
}
