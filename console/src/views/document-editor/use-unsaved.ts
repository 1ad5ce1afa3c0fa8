import { useEffect, useMemo, useRef, useState } from 'react'
import type { useContractForm } from '../../components/form/use-contract-form.ts'
import { useSession } from '../../session/session.tsx'
import { type DocumentValues, dropUnsaved, keepUnsaved, readUnsaved, type UnsavedKey } from './unsaved.ts'
import { isSameValues } from './values.ts'

/** The name of the text that this page keeps. */
export const useUnsavedKey = (handle: string, id: string | undefined): UnsavedKey => {
  const { userId, organization } = useSession()
  return useMemo(() => ({ userId, organization: organization.id, handle, id }), [userId, organization.id, handle, id])
}

/** The unsaved text that the editor starts with, if the tab has one, and the values without it. */
export const useFirstValues = (key: UnsavedKey, saved: DocumentValues) => {
  const [unsaved, setUnsaved] = useState(() => readUnsaved(key))
  const discard = () => {
    dropUnsaved(key)
    setUnsaved(undefined)
  }
  return { unsaved, values: unsaved?.values ?? saved, discard }
}

const pauseMilliseconds = 300

type Store = ReturnType<typeof useContractForm<DocumentValues, unknown>>['store']

/** Keeps what is typed a moment after the last key, and when the editor closes; asks before the tab closes. */
export const useKeptText = (key: UnsavedKey, store: Store, saved: DocumentValues, version: number | null) => {
  const isDone = useRef(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const isChanged = () => !isDone.current && !isSameValues(store.get().values, saved)
    const keep = () => {
      clearTimeout(timer)
      if (isChanged()) keepUnsaved(key, { values: store.get().values, version })
      else dropUnsaved(key)
    }
    const subscription = store.subscribe(() => {
      clearTimeout(timer)
      timer = setTimeout(keep, pauseMilliseconds)
    })
    const ask = (event: BeforeUnloadEvent) => {
      keep()
      if (isChanged()) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => {
      subscription.unsubscribe()
      removeEventListener('beforeunload', ask)
      keep()
    }
  }, [key, store, saved, version])
  return {
    /** The text is saved, or dropped by the person. */
    finish: () => {
      isDone.current = true
      dropUnsaved(key)
    },
  }
}
