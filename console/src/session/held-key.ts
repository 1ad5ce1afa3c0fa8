import { useSyncExternalStore } from 'react'

/** A management key whose secret the page holds. */
export type HeldKey = { secret: string; organizationId: string; name?: string; id?: string }

// In memory alone, never in storage: closing or reloading the page forgets it.
let held: HeldKey | undefined
const listeners = new Set<() => void>()

export const holdKey = (key: HeldKey | undefined): void => {
  held = key
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** The key that the page holds for this organization. */
export const useHeldKey = (organizationId: string): HeldKey | undefined => {
  const key = useSyncExternalStore(subscribe, () => held)
  return key?.organizationId === organizationId ? key : undefined
}
