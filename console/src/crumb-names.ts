import { useEffect, useSyncExternalStore } from 'react'

// What the things of the open pages are called, by the path of their page: the frame names them so in the way to a page, and
// a page tells it once it has read its thing.

const names = new Map<string, string>()
const listeners = new Set<() => void>()
let version = 0

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Sets the name of the item at this path for the breadcrumbs. */
export const useCrumbName = (path: string, name: string | undefined): void =>
  useEffect(() => {
    if (name === undefined || names.get(path) === name) return
    names.set(path, name)
    version++
    for (const listener of listeners) listener()
  }, [path, name])

/** The names that are known, by path. */
export const useCrumbNames = (): ReadonlyMap<string, string> => {
  useSyncExternalStore(subscribe, () => version)
  return names
}
