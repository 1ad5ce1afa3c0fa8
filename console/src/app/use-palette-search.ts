import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { toAmount } from '../plural.ts'
import {
  type Found,
  findChanges,
  foundItemsQuery,
  foundRunsQuery,
  minSearched,
  searchedChanges,
  searchedChangesQuery,
  searchedRuns,
} from '../search/palette-search.ts'
import { useSession } from '../session/session.tsx'

const pauseMilliseconds = 250

/** A text once no key was pressed for a moment. */
const usePaused = (text: string): string => {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMilliseconds)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

const none: readonly Found[] = []

/** The items of the open Brain, the runs and the changes that match a text, and a description of the searched places. */
export const usePaletteSearch = (given: string, handle: string | undefined) => {
  const session = useSession()
  const text = given.trim()
  const paused = usePaused(text)
  const isOn = paused.length >= minSearched
  const items = useQuery(foundItemsQuery(session, handle, paused))
  const runs = useQuery(foundRunsQuery(session, paused))
  const changes = useQuery(searchedChangesQuery(session, isOn))
  const found = useMemo(
    () => (isOn ? [...(items.data ?? none), ...(runs.data ?? none), ...findChanges(changes.data ?? [], paused)] : none),
    [isOn, items.data, runs.data, changes.data, paused],
  )
  const isSearching =
    text.length >= minSearched && (paused !== text || [items, runs, changes].some(({ isLoading }) => isLoading))
  const failed = [items, runs, changes].find(({ error }) => error !== null)?.error
  const places = [
    'names of pages, Brains and agents',
    handle === undefined ? undefined : `content of ${handle}`,
    `questions of the newest ${toAmount(searchedRuns)} runs`,
    `the newest ${searchedChanges} changes`,
  ].filter((one) => one !== undefined)
  return { found: paused === text ? found : none, isSearching, failed, searched: places.join(', ') }
}
