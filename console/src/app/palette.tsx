import { Dialog as Base } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useRouterState } from '@tanstack/react-router'
import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { namesQuery } from '../data/names.ts'
import { findHandle } from '../navigation.ts'
import { minSearched } from '../search/palette-search.ts'
import { useSession } from '../session/session.tsx'
import { findEntries, listEntries, type PaletteEntry } from './palette-entries.ts'
import { rememberedPages, rememberPage } from './recent-pages.ts'
import { usePaletteSearch } from './use-palette-search.ts'

type ListProps = {
  id: string
  entries: readonly PaletteEntry[]
  active: number
  onChoose: (entry: PaletteEntry) => void
}

const EntryList = ({ id, entries, active, onChoose }: ListProps) => (
  <div className="palette-list" id={id} role="listbox" aria-label="Where to go">
    {entries.map((entry, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the option
      <div
        key={entry.to}
        id={`${id}-${index}`}
        role="option"
        aria-selected={index === active}
        className="menu-item"
        data-highlighted={index === active || undefined}
        onClick={() => onChoose(entry)}
      >
        <Icon name={entry.icon} />
        <span className="menu-name">{entry.name}</span>
        <span className="muted small">{entry.sort}</span>
      </div>
    ))}
  </div>
)

type FieldProps = {
  ref: RefObject<HTMLInputElement | null>
  listId: string
  activeId: string | undefined
  text: string
  onText: (text: string) => void
  onKeyDown: (event: KeyboardEvent) => void
}

const Field = ({ ref, listId, activeId, text, onText, onKeyDown }: FieldProps) => (
  <div className="palette-field">
    <Icon name="search" />
    <input
      ref={ref}
      role="combobox"
      aria-label="Go to, or search"
      aria-expanded="true"
      aria-controls={listId}
      aria-activedescendant={activeId}
      placeholder="A page, a name, or words of records, documents, runs and changes"
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ target }) => onText(target.value)}
      onKeyDown={onKeyDown}
    />
  </div>
)

type Status = {
  text: string
  isSearching: boolean
  failed: Error | null | undefined
  searched: string
  count: number
  found: number
}

/** Says that a search goes on or failed, and where it looked if it found nothing. */
const toStatus = ({ text, isSearching, failed, searched, count, found }: Status): string | undefined => {
  if (text.trim().length < minSearched) return count === 0 ? 'Type one more letter to search.' : undefined
  if (isSearching) return 'Searching…'
  if (failed) return `The search failed: ${failed.message}`
  return found === 0 ? `No content found. Searched: ${searched}.` : undefined
}

/** Opens any page, Brain or agent by name, and items of the open Brain, runs and changes by content. */
export const Palette = ({ onClose }: { onClose: () => void }) => {
  const session = useSession()
  const router = useRouter()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const handle = useRouterState({ select: ({ location }) => findHandle(location.pathname) })
  const { data: names } = useQuery(namesQuery(session))
  const all = useMemo(
    () => listEntries({ isAdministrator: session.isAdministrator, names, handle, recent: rememberedPages() }),
    [session.isAdministrator, names, handle],
  )
  const { found, isSearching, failed, searched } = usePaletteSearch(text, handle)
  const entries = useMemo(() => findEntries(all, text, handle, found), [all, text, handle, found])
  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return
    rememberPage(entry)
    onClose()
    void router.navigate({ href: entry.to })
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setActive((active + step + entries.length) % Math.max(1, entries.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(entries[active])
    }
  }
  useEffect(() => {
    document.getElementById(`${id}-list-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, active])
  return (
    <Base.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="palette" aria-label="Go to, or search" initialFocus={field}>
          <Field
            ref={field}
            listId={`${id}-list`}
            activeId={entries.length > 0 ? `${id}-list-${active}` : undefined}
            text={text}
            onText={(given) => {
              setText(given)
              setActive(0)
            }}
            onKeyDown={press}
          />
          <EntryList id={`${id}-list`} entries={entries} active={active} onChoose={choose} />
          <p className="palette-empty" role="status">
            {toStatus({ text, isSearching, failed, searched, count: entries.length, found: found.length })}
          </p>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
