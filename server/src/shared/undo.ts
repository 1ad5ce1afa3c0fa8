/**
 * Undoes changes in memory, with one step per change: the requests of a commit batch are tried one after another, and the
 * changes of one that fails are undone in everything that shares the log. It is a plain list, because it is appended to
 * often; emptying it makes the changes final.
 */
export type UndoLog = (() => void)[]

/** Undoes the changes since the log had this length. */
export const rollBack = (log: UndoLog, length = 0): void => {
  for (const undo of log.splice(length).reverse()) undo()
}

/** Sets a map's value as it was; undefined is none. */
export const putBack = <Key, Value>(map: Map<Key, Value>, key: Key, before: Value | undefined): void => {
  if (before === undefined) map.delete(key)
  else map.set(key, before)
}
