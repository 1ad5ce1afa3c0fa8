import type { IconName } from '../components/icon.tsx'
import type { Names } from '../data/names.ts'
import { listPages } from '../navigation.ts'
import { findPage } from '../pages.ts'
import { listAgentPlaces, listBrainPlaces } from '../places.ts'

/** A target of the palette: its name and type. */
export type PaletteEntry = { to: string; name: string; sort: string; icon: IconName }

type Known = {
  isAdministrator: boolean
  names: Names | undefined
  handle: string | undefined
  recent: readonly PaletteEntry[]
}

const maxShown = 50
/** Names that are shown above content. */
const maxNames = 8

/** All targets: recent pages, the pages of the open Brain, the areas, the Brains, the agents. */
export const listEntries = ({ isAdministrator, names, handle, recent }: Known): PaletteEntry[] => {
  const ofBrain = handle === undefined ? [] : listBrainPlaces(handle)
  const all: PaletteEntry[] = [
    ...recent.map((entry) => ({ ...entry, sort: 'Recent' })),
    ...ofBrain.map(({ to, name }) => ({ to, name, sort: handle ?? '', icon: 'brain' as const })),
    ...listPages({ isAdministrator }).map(({ to, name, icon }) => ({ to, name, icon, sort: 'Page' })),
    ...listAgentPlaces().map(({ to, name }) => ({ to, name, sort: 'Page', icon: 'agent' as const })),
    ...(names?.brains ?? []).map((brain) => ({
      to: `/brains/${brain}`,
      name: brain,
      sort: 'Brain',
      icon: 'brain' as const,
    })),
    ...(findPage('/agents/id') ? (names?.agents ?? []) : []).map(({ id, name }) => ({
      to: `/agents/${id}`,
      name,
      sort: 'Agent',
      icon: 'agent' as const,
    })),
  ]
  return all.filter(({ to }, index) => all.findIndex((other) => other.to === to) === index)
}

/** True if a name contains all letters of a text in order: `handbook` matches `hbk`. */
const hasLetters = (name: string, text: string): boolean => {
  let from = 0
  for (const letter of text) {
    from = name.indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}

const rank = (name: string, text: string): number => {
  if (name.startsWith(text)) return 0
  if (name.includes(text)) return 1
  return hasLetters(name, text) ? 2 : 3
}

/** The matches of a text: closest names first, then content, then a search of the open Brain. */
export const findEntries = (
  all: readonly PaletteEntry[],
  given: string,
  handle: string | undefined,
  content: readonly PaletteEntry[] = [],
): PaletteEntry[] => {
  const text = given.trim().toLowerCase()
  const found = all
    .map((entry) => ({ entry, rank: rank(entry.name.toLowerCase(), text) }))
    .filter((one) => one.rank < 3)
    .sort((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry)
    .slice(0, content.length > 0 ? maxNames : maxShown)
  const listed = new Set(found.map(({ to }) => to))
  const shown = [...found, ...content.filter(({ to }) => !listed.has(to))]
  if (text === '' || handle === undefined) return shown
  const to = `/brains/${handle}/playground?${new URLSearchParams({ q: given.trim() })}`
  return [...shown, { to, name: `Search ${handle} for “${given.trim()}”`, sort: 'Search', icon: 'search' }]
}
