import { useEffect, useMemo, useRef, useState } from 'react'
import type { useContractForm } from '../../components/form/use-contract-form.ts'
import { useSession } from '../../session/session.tsx'
import { type DocumentValues, type DraftOf, dropDraft, keepDraft, readDraft } from './draft.ts'
import { isSameValues } from './values.ts'

/** Whose draft of which document this page keeps. */
export const useDraftOf = (handle: string, id: string | undefined): DraftOf => {
  const { userId, organization } = useSession()
  return useMemo(() => ({ userId, organization: organization.id, handle, id }), [userId, organization.id, handle, id])
}

/** The draft that the editor starts with, if the tab has one, and the values without it. */
export const useFirstValues = (of: DraftOf, saved: DocumentValues) => {
  const [draft, setDraft] = useState(() => readDraft(of))
  const discard = () => {
    dropDraft(of)
    setDraft(undefined)
  }
  return { draft, values: draft?.values ?? saved, discard }
}

const pauseMilliseconds = 300

type Store = ReturnType<typeof useContractForm<DocumentValues, unknown>>['store']

/** Keeps what is typed a moment after the last key, and when the editor closes; asks before the tab closes. */
export const useKeptDraft = (of: DraftOf, store: Store, saved: DocumentValues, version: number | null) => {
  const isDone = useRef(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const isChanged = () => !isDone.current && !isSameValues(store.get().values, saved)
    const keep = () => {
      clearTimeout(timer)
      if (isChanged()) keepDraft(of, { values: store.get().values, version })
      else dropDraft(of)
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
  }, [of, store, saved, version])
  return {
    /** The text is saved, or dropped by the person. */
    finish: () => {
      isDone.current = true
      dropDraft(of)
    },
  }
}
