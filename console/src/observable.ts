import { useSyncExternalStore } from 'react'

/** A value of the page that changes outside of React. */
export type Observable<Value> = {
  read(): Value
  set(next: Value): void
  /** Calls `listener` after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void
}

export const createObservable = <Value>(initial: Value): Observable<Value> => {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    read: () => value,
    set: (next) => {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The current value; the component is drawn again when it changes. */
export const useObservable = <Value>({ subscribe, read }: Observable<Value>): Value =>
  useSyncExternalStore(subscribe, read)
