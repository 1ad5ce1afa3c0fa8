import { useSyncExternalStore } from 'react'

/** A management key whose secret the page holds. */
export type StoredKey = {
  secret: string
  organizationId: string
  name?: string
  id?: string
  /** Just minted: its secret is on the screen until somebody says that it is kept. */
  isNew: boolean
}

// In memory alone, never in storage: closing or reloading the page forgets it.
let stored: StoredKey | undefined
const listeners = new Set<() => void>()

export const storeKey = (key: StoredKey | undefined): void => {
  stored = key
  for (const listener of listeners) listener()
}

/** Takes the secret off the screen; the page goes on holding it. */
export const hideSecret = (): void => storeKey(stored && { ...stored, isNew: false })

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** The key that the page holds for this organization. */
export const useStoredKey = (organizationId: string): StoredKey | undefined => {
  const key = useSyncExternalStore(subscribe, () => stored)
  return key?.organizationId === organizationId ? key : undefined
}

/** Whether a listed key is the one that the page holds. One that was pasted is known by its first characters alone. */
export const isStored = (key: StoredKey | undefined, listed: { id: string; prefix: string }): boolean =>
  key !== undefined && (key.id === undefined ? key.secret.startsWith(listed.prefix) : key.id === listed.id)
