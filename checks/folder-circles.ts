import type { SourceFile } from './source-files.ts'

type Arrows = Map<string, Set<string>>

/** The imports between sibling folders, by their parent folder. */
const arrowsBetweenSiblings = (files: readonly SourceFile[]): Map<string, Arrows> => {
  const places = new Map<string, Arrows>()
  for (const { path, imports } of files) {
    const from = path.split('/').slice(0, -1)
    for (const target of imports) {
      const to = target.split('/').slice(0, -1)
      const depth = from.findIndex((name, index) => name !== to[index])
      const [mine, theirs] = [from[depth], to[depth]]
      if (mine === undefined || theirs === undefined) continue
      const place = from.slice(0, depth).join('/')
      const arrows = places.get(place) ?? new Map<string, Set<string>>()
      places.set(place, arrows.set(mine, (arrows.get(mine) ?? new Set()).add(theirs)))
    }
  }
  return places
}

const findCircle = (arrows: Arrows): string[] | undefined => {
  const done = new Set<string>()
  const follow = (name: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name]
    if (done.has(name)) return undefined
    for (const next of arrows.get(name) ?? []) {
      const circle = follow(next, [...way, name])
      if (circle) return circle
    }
    done.add(name)
    return undefined
  }
  for (const name of arrows.keys()) {
    const circle = follow(name, [])
    if (circle) return circle
  }
  return undefined
}

/** Circles of sibling folders that import each other, at most one per parent folder. */
export const folderCircles = (files: readonly SourceFile[]): string[] =>
  [...arrowsBetweenSiblings(files)].flatMap(([place, arrows]) => {
    const circle = findCircle(arrows)
    return circle ? [`${place}: ${circle.join(' -> ')}`] : []
  })
