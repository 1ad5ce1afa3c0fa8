import { readFileSync } from 'node:fs'
import { repository } from './manifest.ts'

// Lists the packages of node_modules that a program needs, by the lock file: the tested versions.

type Locked = {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

const readLock = (): Record<string, Locked> =>
  JSON.parse(readFileSync(new URL('package-lock.json', repository), 'utf8')).packages

/** Finds a package as Node does from a folder: in it, or in its parents. */
const findPlace = (packages: Record<string, Locked>, from: string, name: string): string | undefined => {
  const above = from
    .split(/(?<=^|\/)node_modules\//)
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('node_modules/'))
  const places = ['', ...above.filter((place) => place !== '')].reverse()
  return places
    .map((place) => `${place}/node_modules/${name}`.replace(/^\//, '').replaceAll('//', '/'))
    .find((one) => packages[one])
}

/** The names that a package cannot do without. */
const listNeeded = ({ dependencies, peerDependencies, peerDependenciesMeta = {} }: Locked): string[] => [
  ...Object.keys(dependencies ?? {}),
  ...Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional),
]

/** The folders of all packages that these workspaces need, those that only some platforms have left out. */
export const findLockedPackages = (workspaces: readonly string[]): string[] => {
  const packages = readLock()
  const found = new Set<string>()
  const open = [...workspaces]
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const name of listNeeded(packages[from] ?? {})) {
      if (name.startsWith('@noema/')) continue
      const place = findPlace(packages, from, name)
      if (place === undefined) throw new Error(`The lock file has no ${name}, which ${from} needs.`)
      if (found.has(place)) continue
      found.add(place)
      open.push(place)
    }
  }
  return [...found].sort()
}
