import { isObject } from '@noema/contracts/json.ts'
import { type IconName, iconNames } from '../components/icon.tsx'

type RecentPlace = { to: string; name: string; sort: string; icon: IconName }

const storageName = 'noema-recent'
const maxKept = 5

const toPlace = (value: unknown): RecentPlace[] => {
  if (!isObject(value) || typeof value.to !== 'string' || typeof value.name !== 'string') return []
  // Only our own pages: what is stored may be anything.
  if (!/^\/(?![/\\])/.test(value.to)) return []
  const icon = iconNames.find((name) => name === value.icon) ?? 'clock'
  return [{ to: value.to, name: value.name, sort: 'Recent', icon }]
}

/** Where one went by the palette last, the latest first. */
export const rememberedPlaces = (): RecentPlace[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]')
    return Array.isArray(stored) ? stored.flatMap(toPlace) : []
  } catch {
    return []
  }
}

export const rememberPlace = (place: RecentPlace): void => {
  const rest = rememberedPlaces().filter(({ to }) => to !== place.to)
  try {
    localStorage.setItem(storageName, JSON.stringify([place, ...rest].slice(0, maxKept)))
  } catch {
    // Storage is switched off: nothing is remembered.
  }
}
