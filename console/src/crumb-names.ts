import { useEffect } from 'react'
import { createObservable, useObservable } from './observable.ts'

// The names of the items of the open pages, by the path of their page. A page sets the name once it has loaded its item, and the
// breadcrumbs show it.

const names = createObservable<ReadonlyMap<string, string>>(new Map())

/** Sets the name of the item at this path for the breadcrumbs. */
export const useCrumbName = (path: string, name: string | undefined): void =>
  useEffect(() => {
    if (name === undefined || names.read().get(path) === name) return
    names.set(new Map(names.read()).set(path, name))
  }, [path, name])

/** The known names, by path. */
export const useCrumbNames = (): ReadonlyMap<string, string> => useObservable(names)
