import { useRouter } from '@tanstack/react-router'
import { useLayoutEffect, useRef } from 'react'
import { isShortcut } from '../components/key-guard.ts'
import { listPages } from '../navigation.ts'
import { useSession } from '../session/session.tsx'

/** The maximum time between the two keys of a shortcut. */
const sequenceMilliseconds = 1_200

const focusSearch = (): boolean => {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  field?.focus()
  field?.select()
  return field !== null
}

type ShortcutsProps = { onPalette: () => void; onSheet: () => void }

/** The keys that work on every page: the palette, the sheet, the search, and `g` with the letter of an area. */
export const Shortcuts = ({ onPalette, onSheet }: ShortcutsProps) => {
  const router = useRouter()
  const session = useSession()
  const first = useRef<{ key: string; at: number }>(undefined)
  // The keys work as soon as the page shows them.
  useLayoutEffect(() => {
    const goTo = new Map(listPages(session).flatMap(({ keys, to }) => (keys ? [[keys, to] as const] : [])))
    const pressSingle = (key: string): boolean => {
      if (key === '?') onSheet()
      else if (key === '/') focusSearch() || onPalette()
      else return false
      return true
    }
    const pressPair = (event: KeyboardEvent): boolean => {
      const before = first.current
      first.current = { key: event.key, at: event.timeStamp }
      if (!before || event.timeStamp - before.at > sequenceMilliseconds) return false
      const to = goTo.get(`${before.key} ${event.key}`)
      if (to === undefined) return false
      void router.navigate({ href: to })
      return true
    }
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        onPalette()
        return
      }
      if (!isShortcut(event)) return
      if (pressPair(event) || pressSingle(event.key)) event.preventDefault()
    }
    document.addEventListener('keydown', press, { capture: true })
    return () => document.removeEventListener('keydown', press, { capture: true })
  }, [router, session, onPalette, onSheet])
  return null
}
