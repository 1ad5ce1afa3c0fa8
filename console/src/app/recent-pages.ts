import { isObject } from '@noema/contracts/json.ts'
import { type IconName, iconNames } from '../components/icon.tsx'

type RecentPage = { to: string; name: string; sort: string; icon: IconName }

const storageName = 'noema-recent'
const maxKept = 5

const toPlace = (value: unknown): RecentPage[] => {
  if (!isObject(value) || typeof value.to !== 'string' || typeof value.name !== 'string') return []
  // Only paths of our own pages: the stored value may be anything.
  if (!/^\/(?![/\\])/.test(value.to)) return []
  const icon = iconNames.find((name) => name === value.icon) ?? 'clock'
  return [{ to: value.to, name: value.name, sort: 'Recent', icon }]
}

/** The pages that were opened with the palette, latest first. */
export const rememberedPages = (): RecentPage[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]')
    return Array.isArray(stored) ? stored.flatMap(toPlace) : []
  } catch {
    return []
  }
}

export const rememberPage = (page: RecentPage): void => {
  const rest = rememberedPages().filter(({ to }) => to !== page.to)
  try {
    localStorage.setItem(storageName, JSON.stringify([page, ...rest].slice(0, maxKept)))
  } catch {
    // Storage is disabled: nothing is remembered.
  }
}
