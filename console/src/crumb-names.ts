import { useEffect, useSyncExternalStore } from 'react'

// The names of the items of the open pages, by the path of their page. A page sets the name once it has loaded its item, and the
// breadcrumbs show it.

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

/** The known names, by path. */
export const useCrumbNames = (): ReadonlyMap<string, string> => {
  useSyncExternalStore(subscribe, () => version)
  return names
}
